#pragma once
#include <exception>
#include <string>
#include <string_view>

namespace rackcast {

/// What went wrong, seen from the user's chair; main turns it into the exit code.
enum class ErrorKind {
  invalid_input,  ///< exit 3: a file, a value or a name is wrong
  usage,          ///< exit 2: the command line is wrong
  infeasible,     ///< exit 4: a well-formed question without an answer
  internal,       ///< exit 1: work left with no event pending, and other failures of ours
};

/// Where in the user's input. Line and column count from 1 (columns in characters); 0 means "not known".
struct Where {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string pointer = {};  ///< JSON pointer, e.g. "/cluster/nodes"
  std::string snippet = {};  ///< the source line, without its end; a long line is cut around the column
  int caret = 0;             ///< the column within `snippet`; 0 means the same as `column`
};

/// The one exception type for everything a user can cause. Bugs of ours are asserts.
/// what() is the whole message, ready to print:
///
///   scenarios/x.json:12:15: error: unknown key "deadlin" in /goal
///      12 |   "deadlin": "14 days"
///         |   ^
///   expected one of: deadline, objective
///   hint: did you mean "deadline"?
///
/// Further lines of the message ("expected one of ...") stand below the source line. Control characters in
/// any part are made harmless.
class Error : public std::exception {
 public:
  explicit Error(std::string message, Where where = {}, std::string hint = {},
                 ErrorKind kind = ErrorKind::invalid_input);

  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  std::string message_;
  Where where_;
  std::string hint_;
  ErrorKind kind_;
  std::string text_;
};

}  // namespace rackcast

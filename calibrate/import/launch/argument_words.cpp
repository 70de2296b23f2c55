#include "calibrate/import/launch/argument_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::size_t longest_value = 4096, most_variables = 10'000, longest_word = 1 << 20;
constexpr int deepest_quotes = 4;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&' || c == '(' ||
         c == ')';
}

std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_name_start(text.front())) return 0;
  std::size_t end = 1;
  while (end < text.size() && is_name_part(text[end])) ++end;
  return end;
}

/// Bytes from an opening bracket to behind the one that closes it; those of the line if none does.
std::size_t bracketed_length(std::string_view text, char open, char close) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return std::min(text.find('\n'), text.size());
}

/// Products and quotients of whole numbers, from left to right; nothing for anything else.
std::optional<std::string> arithmetic(std::string_view text) {
  std::optional<double> value;
  char sign = '*';
  for (std::size_t at = 0;;) {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const auto number = to_number(text.substr(at, end - at));
    if (!number || (sign == '/' && *number == 0)) return std::nullopt;
    const double next = *number;
    value = !value        ? next
            : sign == '*' ? *value * next
                          : static_cast<double>(static_cast<long long>(*value / next));
    if (*value > 1e15) return std::nullopt;
    at = std::min(text.find_first_not_of(" \t", end), text.size());
    if (at == text.size()) return fmt::format("{:.0f}", *value);
    sign = text[at++];
    if (sign != '*' && sign != '/') return std::nullopt;
  }
}

/// The letters that the escape at the beginning of `text` stands for in $'...'; sets its length. Letters of
/// code 0, which end a text of the shell, are left out.
std::string unescaped(std::string_view text, std::size_t& length) {
  length = std::min<std::size_t>(2, text.size());
  if (text.size() < 2) return std::string{text};
  constexpr std::string_view names = "abeEfnrtv\\'\"?", letters = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  if (const std::size_t found = names.find(text[1]); found != std::string_view::npos)
    return std::string{letters[found]};
  const char kind = text[1];
  const bool octal = kind >= '0' && kind <= '7';
  if (!octal && kind != 'x' && kind != 'u' && kind != 'U') return std::string{text.substr(0, 2)};
  const std::size_t first = octal ? 1 : 2, most = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  const std::string_view digits = text.substr(first, most);
  std::uint32_t code = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, octal ? 8 : 16);
  if (read.ec != std::errc{}) return std::string{text.substr(0, 2)};
  length = first + static_cast<std::size_t>(read.ptr - digits.data());
  return code == 0 ? std::string{} : code < 0x80 ? std::string{static_cast<char>(code)} : std::string{"?"};
}

class WordReader {
 public:
  WordReader(const ImportSource& source, const std::function<void(ArgumentWord)>& take)
      : source_{source}, take_{take} {}

  void read(std::string_view text, int depth) {
    for (std::size_t at = 0; at < text.size();) {
      if (text.substr(at).starts_with("#SBATCH")) {
        job_end_ = offset_of(text) + std::min(text.find('\n', at), text.size());
        at += 7;
      } else if (text[at] == '#') {
        at = std::min(text.find('\n', at), text.size());
      } else if (const std::size_t gap = gap_length(text.substr(at))) {
        at += gap;
      } else {
        at += read_word(text.substr(at), depth);
      }
    }
  }

 private:
  const ImportSource& source_;
  const std::function<void(ArgumentWord)>& take_;
  std::size_t job_end_ = 0;  ///< of the last line with #SBATCH
  std::map<std::string, ArgumentWord, std::less<>> variables_;

  [[nodiscard]] std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - source_.text().data());
  }

  static std::size_t gap_length(std::string_view text) {
    if (ends_word(text.front())) return 1;
    if (text.starts_with("\\\r\n")) return 3;
    return text.starts_with("\\\n") || text == "\\" ? std::min<std::size_t>(2, text.size()) : 0;
  }

  /// Reads a word, or an assignment with its value; returns its length.
  std::size_t read_word(std::string_view text, int depth) {
    const std::size_t name = name_length(text);
    std::size_t equals = name;
    if (name > 0 && text.substr(name).starts_with("+=")) ++equals;
    const bool assigns = name > 0 && equals < text.size() && text[equals] == '=';
    const std::size_t start = assigns ? equals + 1 : 0;
    // An array's members are words like any others.
    if (assigns && text.substr(start).starts_with("(")) return start;
    ArgumentWord word;
    word.offset = offset_of(text.substr(start));
    const std::size_t length = start + collect(text.substr(start), word, depth);
    if (assigns) {
      assign(text.substr(0, name), std::move(word));
    } else {
      without_list(word.text);
      word.of_job = word.offset < job_end_;
      if (!word.text.empty()) take_(std::move(word));
    }
    return length;
  }

  /// A list of Python's or YAML's has brackets and commas around its words.
  static void without_list(std::string& text) {
    if (text.ends_with(',')) text.pop_back();
    if (text.starts_with("[--")) text.erase(0, 1);
    if (text.ends_with(']') && text.find('[') == std::string::npos) text.pop_back();
  }

  void assign(std::string_view name, ArgumentWord word) {
    if (word.text.size() > longest_value)
      source_.fail(name,
                   fmt::format("the variable {} has more than {} bytes", in_quotes(name), longest_value),
                   "only short variables are replaced: write the arguments themselves");
    if (variables_.size() >= most_variables)
      source_.fail(name, fmt::format("the file has more than {} variables", most_variables));
    variables_.insert_or_assign(std::string{name}, std::move(word));
  }

  [[noreturn]] void fail_of_quotation(std::string_view text) const {
    source_.fail(text, "this quotation has no end", "the file may have been cut off; close the quotation");
  }

  /// Adds a quoted part to the word, or takes it apart where it holds arguments. Returns its length.
  std::size_t quoted(std::string_view text, ArgumentWord& word, int depth) {
    const char mark = text.front();
    std::size_t end = 1;
    while (end < text.size() && text[end] != mark) end += mark == '"' && text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) fail_of_quotation(text);
    const std::string_view inner = text.substr(1, end - 1);
    const std::size_t dashes = inner.find("--");
    const bool holds_arguments = dashes != std::string_view::npos &&
                                 inner.find_first_of(" \t\n", dashes) != std::string_view::npos &&
                                 (dashes == 0 || ends_word(inner[dashes - 1]));
    if (holds_arguments && depth < deepest_quotes) {
      read(inner, depth + 1);
      return end + 1;
    }
    if (mark == '\'') {
      add(inner, inner, word);
      return end + 1;
    }
    for (std::size_t at = 0; at < inner.size();)
      at += inner[at] == '$' ? reference(inner.substr(at), word) : letter(inner.substr(at), word);
    return end + 1;
  }

  /// Adds $'...' with the letters that its escapes stand for. Returns its length.
  std::size_t ansi_quoted(std::string_view text, ArgumentWord& word) {
    std::size_t at = 2;
    while (at < text.size() && text[at] != '\'') {
      std::size_t length = 1;
      const std::string piece = text[at] == '\\' ? unescaped(text.substr(at), length) : std::string{text[at]};
      add(piece, text, word);
      at += length;
    }
    if (at >= text.size()) fail_of_quotation(text);
    return at + 1;
  }

  /// Adds a piece to a word. Throws Error at `text` for a word that grows without bound.
  void add(std::string_view piece, std::string_view text, ArgumentWord& word) const {
    if (word.text.size() + piece.size() > longest_word)
      source_.fail(text, "this word has more than 1 MiB",
                   "write a list of arguments: options, each with a short value");
    word.text += piece;
  }

  std::size_t letter(std::string_view text, ArgumentWord& word) const {
    if (text.front() == '\\' && text.size() > 1) {
      if (text[1] != '\n') add(text.substr(1, 1), text, word);
      return 2;
    }
    add(text.substr(0, 1), text, word);
    return 1;
  }

  std::size_t collect(std::string_view text, ArgumentWord& word, int depth) {
    std::size_t at = 0;
    while (at < text.size() && !ends_word(text[at]) && gap_length(text.substr(at)) == 0) {
      const std::string_view rest = text.substr(at);
      if (rest.front() == '"' || rest.front() == '\'') {
        at += quoted(rest, word, depth);
      } else if (rest.starts_with("$\"")) {  // a text to be translated
        at += 1 + quoted(rest.substr(1), word, depth);
      } else if (rest.starts_with("$'")) {
        at += ansi_quoted(rest, word);
      } else if (rest.front() == '`') {
        at += unsaid(rest, std::min(rest.find('`', 1), rest.size() - 1) + 1, word);
      } else {
        at += rest.front() == '$' ? reference(rest, word) : letter(rest, word);
      }
    }
    return at;
  }

  /// What the file does not say stays as it is written.
  std::size_t unsaid(std::string_view text, std::size_t length, ArgumentWord& word) const {
    word.unknown = true;
    if (word.unsaid.empty()) word.unsaid = std::string{text.substr(0, std::min<std::size_t>(length, 80))};
    add(text.substr(0, std::min<std::size_t>(length, 256)), text, word);
    return length;
  }

  std::size_t reference(std::string_view text, ArgumentWord& word) {
    if (text.starts_with("$((")) {
      const std::size_t length = bracketed_length(text, '(', ')');
      const auto value = text.substr(0, length).ends_with("))")
                             ? arithmetic(replaced(text.substr(3, length - 5), word))
                             : std::nullopt;
      if (!value) return unsaid(text, length, word);
      add(*value, text, word);
      return length;
    }
    if (text.starts_with("$(")) return unsaid(text, bracketed_length(text, '(', ')'), word);
    if (!text.starts_with("${")) {
      const std::size_t name = name_length(text.substr(1));
      // "$1" and the like, or a $ alone.
      if (name == 0) return unsaid(text, std::min<std::size_t>(2, text.size()), word);
      return put(text, 1 + name, text.substr(1, name), std::nullopt, word);
    }
    const std::size_t length = bracketed_length(text, '{', '}');
    if (!text.substr(0, length).ends_with('}')) return unsaid(text, length, word);
    const std::string_view inner = text.substr(2, length - 3);
    std::size_t name = name_length(inner);
    if (name == 0) name = std::min(inner.find_first_not_of("0123456789"), inner.size());
    std::string_view rest = inner.substr(name);
    if (rest.starts_with(':')) rest.remove_prefix(1);
    const bool has_default = rest.starts_with('-') || rest.starts_with('=');
    if (!has_default && !rest.empty()) return unsaid(text, length, word);  // ${NAME[@]}, ${NAME%...}
    return put(text, length, inner.substr(0, name),
               has_default ? std::optional{trimmed_quotes(rest.substr(1))} : std::nullopt, word);
  }

  static std::string_view trimmed_quotes(std::string_view text) {
    const bool quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
  }

  std::size_t put(std::string_view text, std::size_t length, std::string_view name,
                  std::optional<std::string_view> otherwise, ArgumentWord& word) {
    const auto found = variables_.find(name);
    if (found != variables_.end() && !found->second.unknown) {
      add(found->second.text, text, word);
      word.is_default = word.is_default || found->second.is_default;
      return length;
    }
    if (!otherwise || otherwise->find('$') != std::string_view::npos) return unsaid(text, length, word);
    add(*otherwise, text, word);
    word.is_default = true;
    return length;
  }

  /// The inside of $((...)), with variables in the place of their names, with or without $.
  std::string replaced(std::string_view text, ArgumentWord& word) {
    ArgumentWord out;
    for (std::size_t at = 0; at < text.size() && out.text.size() < longest_value;) {
      const std::string_view rest = text.substr(at);
      const std::size_t name = name_length(rest);
      if (name > 0) {
        at += put(rest, name, rest.substr(0, name), std::nullopt, out);
      } else if (rest.starts_with("$((")) {
        return {};
      } else {
        at += rest.front() == '$' ? reference(rest, out) : letter(rest, out);
      }
    }
    word.is_default = word.is_default || out.is_default;
    return out.unknown ? std::string{} : out.text;
  }
};

}  // namespace

void for_each_word(const ImportSource& source, const std::function<void(ArgumentWord)>& take) {
  WordReader{source, take}.read(source.text(), 0);
}

}  // namespace rackcast

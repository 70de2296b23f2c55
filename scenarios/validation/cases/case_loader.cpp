#include "scenarios/validation/cases/case_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "scenarios/validation/cases/amendments.hpp"
#include "scenarios/validation/cases/case_reader.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = 64u << 20;

ValidationCase broken(const std::string& file, int line, std::string why) {
  ValidationCase out;
  out.file = file;
  out.line = line;
  out.id = place_name(file, line);
  out.source = fs::path{file}.stem().string();
  out.unreadable = std::move(why);
  return out;
}

void append(const Json& json, const std::string& file, std::vector<ValidationCase>& out) {
  if (json.kind() == JsonKind::array) {
    for (const Json& element : json.array()) out.push_back(read_case(element, file));
  } else if (const Json* cases = member_in(json, "cases"); cases && cases->kind() == JsonKind::array) {
    append(*cases, file, out);
  } else {
    out.push_back(read_case(json, file));
  }
}

/// Cuts the outermost objects out of a text that may be broken anywhere: braces are balanced outside strings,
/// and a line that opens an object with an id ends an unfinished one before it.
class ObjectCutter {
 public:
  struct Piece {
    std::string text;
    int line = 0;
    bool complete = false;
  };

  explicit ObjectCutter(const std::string& text) : text_{text} {}

  std::vector<Piece> cut() {
    for (at_ = 0; at_ < text_.size(); ++at_) step(text_[at_]);
    if (depth_ > 0) finish(text_.size(), false);
    return std::move(pieces_);
  }

 private:
  void step(char c) {
    if (c == '\n') {
      ++line_;
      in_string_ = escaped_ = false;  // JSON strings end on their line
      if (depth_ > 0 && starts_case(at_ + 1)) finish(at_, false);
      return;
    }
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
      return;
    }
    if (c == '"' && depth_ > 0) in_string_ = true;
    if (c == '{' && depth_++ == 0) {
      begin_ = at_;
      begin_line_ = line_;
    }
    if (c == '}' && depth_ > 0 && --depth_ == 0) finish(at_ + 1, true);
  }

  [[nodiscard]] bool starts_case(std::size_t at) const {
    at = text_.find_first_not_of(" \t[,", at);
    return at != std::string::npos &&
           (text_.compare(at, 5, "{\"id\"") == 0 || text_.compare(at, 6, "{ \"id\"") == 0);
  }

  void finish(std::size_t end, bool complete) {
    pieces_.push_back({text_.substr(begin_, end - begin_), begin_line_, complete});
    depth_ = 0;
    in_string_ = escaped_ = false;
  }

  const std::string& text_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0, begin_ = 0;
  int line_ = 1, begin_line_ = 1, depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

std::vector<ValidationCase> salvage(const std::string& text, const std::string& name, const Error& whole) {
  std::vector<ValidationCase> out;
  bool failed = false;
  for (const ObjectCutter::Piece& piece : ObjectCutter{text}.cut()) {
    try {
      std::vector<ValidationCase> read;
      append(parse_json(piece.text, name), name, read);
      for (ValidationCase& c : read) {
        const bool unnamed = c.id == place_name(name, c.line);
        c.line += piece.line - 1;
        if (unnamed) c.id = place_name(name, c.line);
        out.push_back(std::move(c));
      }
    } catch (const Error& e) {
      failed = true;
      const int line = piece.line + std::max(e.where().line, 1) - 1;
      out.push_back(broken(name, line, piece.complete ? e.message() : "the text ends inside this case"));
    }
  }
  if (!failed && (out.empty() || text.find_first_of("[{") != text.find_first_not_of(" \t\r\n")))
    out.push_back(broken(name, whole.where().line, whole.message()));
  return out;
}

void refuse_repeated_ids(std::vector<ValidationCase>& cases) {
  std::set<std::string> seen;
  for (ValidationCase& c : cases) {
    if (seen.insert(c.id).second) continue;
    if (c.unreadable.empty()) c.unreadable = "the id stands at an earlier case already";
  }
}

}  // namespace

std::vector<ValidationCase> parse_cases(const std::string& text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {broken(name, 1, "the file is empty")};
  try {
    const Json json = parse_json(text, name, {.max_bytes = max_file_bytes});
    std::vector<ValidationCase> out;
    append(json, name, out);
    return out;
  } catch (const Error& e) {
    return salvage(text, name, e);
  }
}

void require_readable(const std::vector<ValidationCase>& cases) {
  const auto bad = [](const ValidationCase& c) {
    return !c.unreadable.empty();
  };
  const auto first = std::ranges::find_if(cases, bad);
  if (first == cases.end()) return;
  const auto all = std::ranges::count_if(cases, bad);
  const std::string more =
      all > 1 ? fmt::format(" ({} more case{} cannot be read)", all - 1, all == 2 ? "" : "s") : "";
  throw Error{fmt::format("case \"{}\": {}{}", first->id, first->unreadable, more),
              Where{.file = first->file, .line = first->line},
              "correct it, or report the other cases with --keep-going"};
}

namespace {

/// Files of cases and of amendments, each in the order of their paths.
struct CaseFiles {
  std::vector<std::string> cases, amendments;
  bool whole_folder = false;
};

CaseFiles files_below(const std::string& folder) {
  CaseFiles out;
  out.whole_folder = true;
  std::error_code failure;
  for (fs::recursive_directory_iterator it{folder, fs::directory_options::skip_permission_denied, failure},
       end;
       !failure && it != end; it.increment(failure)) {
    const std::string ending = it->path().extension().string();
    if (!it->is_regular_file(failure) || (ending != ".json" && ending != ".jsonl")) continue;
    (it->path().filename() == amendments_file ? out.amendments : out.cases).push_back(it->path().string());
  }
  if (out.cases.empty()) throw Error{"no .json or .jsonl file below \"" + folder + "\""};
  std::ranges::sort(out.cases);
  std::ranges::sort(out.amendments);
  return out;
}

CaseFiles files_of(const std::string& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return files_below(path);
  if (!fs::exists(path, failure))
    throw Error{"no case file or folder \"" + path + "\"",
                {},
                "cases come with the source in tests/validation/cases"};
  CaseFiles out;
  out.cases = {path};
  const fs::path beside = fs::path{path}.replace_filename(amendments_file);
  if (fs::is_regular_file(beside, failure)) out.amendments.push_back(beside.string());
  return out;
}

/// The text, or why there is none.
std::pair<std::string, std::string> text_or_fault(const std::string& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure) return {"", "cannot read the file"};
  if (size > max_file_bytes) return {"", "the file is larger than 64 MiB"};
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (in.bad() || !in.is_open()) return {"", "cannot read the file"};
  return {std::move(text), ""};
}

}  // namespace

std::vector<ValidationCase> load_cases(const std::string& path) {
  const CaseFiles files = files_of(path);
  std::vector<ValidationCase> out;
  for (const std::string& file : files.cases) {
    const auto [text, fault] = text_or_fault(file);
    if (fault.empty())
      std::ranges::move(parse_cases(text, file), std::back_inserter(out));
    else
      out.push_back(broken(file, 0, fault));
  }
  for (const std::string& file : files.amendments) {
    const auto [text, fault] = text_or_fault(file);
    if (fault.empty())
      amend(out, text, file, files.whole_folder);
    else
      out.push_back(broken(file, 0, fault));
  }
  refuse_repeated_ids(out);
  return out;
}

}  // namespace rackcast

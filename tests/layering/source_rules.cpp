#include "tests/layering/source_rules.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>

namespace rackcast::layering {
namespace {

constexpr std::string_view library_prefix = "rackcast_";

bool may_use(const Layer& layer, std::string_view folder) {
  return folder == layer.folder || std::ranges::count(layer.may_include, folder) > 0;
}

/// Length of the comment or literal that starts at `at`, or 0 where none does.
std::size_t skipped_length(std::string_view code, std::size_t at) {
  const std::string_view rest = code.substr(at);
  const auto until = [&](std::string_view end, std::size_t from) {
    const std::size_t found = rest.find(end, from);
    return found == std::string_view::npos ? rest.size() : found + end.size();
  };
  if (rest.starts_with("//")) return until("\n", 2) - 1;
  if (rest.starts_with("/*")) return until("*/", 2);
  if (rest.starts_with("R\"")) {
    const std::size_t open = rest.find('(');
    if (open == std::string_view::npos) return rest.size();
    return until(")" + std::string(rest.substr(2, open - 2)) + "\"", open);
  }
  const char quote = rest.front();
  const bool digit_separator =
      quote == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(code[at - 1]));
  if ((quote != '"' && quote != '\'') || digit_separator) return 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == quote) {
      return i + 1;
    }
  }
  return rest.size();
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  std::istringstream stream{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) visit(number, line);
}

}  // namespace

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"sim", {}},
      {"topologies", {"sim"}},
      {"models", {"sim", "topologies"}},
      {"scenarios", {"sim", "topologies", "models"}},
      {"reports", {"sim"}},
      {"calibrate", {"sim", "topologies", "models"}},
  };
  return table;
}

const Layer* find_layer(std::string_view folder) {
  const auto found = std::ranges::find(layers(), folder, &Layer::folder);
  return found == layers().end() ? nullptr : &*found;
}

std::string without_comments_and_literals(std::string_view code) {
  std::string result(code);
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t length = skipped_length(code, at);
    for (std::size_t i = at; i < at + length; ++i) {
      if (result[i] != '\n') result[i] = ' ';
    }
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::vector<Finding> forbidden_includes(const Layer& layer, std::string_view code) {
  static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">/]+)/)re");
  std::vector<Finding> findings;
  for_each_line(code, [&](int number, const std::string& line) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) return;
    const std::string folder = match[1];
    const bool ours = find_layer(folder) != nullptr || folder == "tests" || folder.starts_with("..");
    if (ours && !may_use(layer, folder)) {
      findings.push_back({number, std::string(layer.folder) + " may not include from " + folder});
    }
  });
  return findings;
}

std::vector<Finding> prints_or_exits(std::string_view code) {
  static const std::regex forbidden(
      R"re(\bstd::(cout|cerr|clog|wcout|wcerr|cin)\b|\bfmt::print\b|\b(f|v|vf)?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|\b(exit|_exit|_Exit|quick_exit)\s*\(|\b(stdout|stderr)\b|<iostream>)re");
  std::vector<Finding> findings;
  for_each_line(without_comments_and_literals(code), [&](int number, const std::string& line) {
    std::smatch match;
    if (std::regex_search(line, match, forbidden)) {
      findings.push_back({number, "only main.cpp and commands/ print or exit, not \"" + match.str() + "\""});
    }
  });
  return findings;
}

std::vector<Finding> forbidden_links(const Layer& layer, std::string_view cmake) {
  static const std::regex call(R"re(rackcast_library\(\s*(\w+)([^)]*)\))re");
  static const std::regex dependency(R"re(\brackcast_(\w+)\b)re");
  const std::string text(cmake);
  std::smatch match;
  if (!std::regex_search(text, match, call)) return {{1, "no rackcast_library() call"}};
  std::vector<Finding> findings;
  if (match[1] != std::string(library_prefix) + std::string(layer.folder)) {
    findings.push_back({1, "the library is called " + match.str(1)});
  }
  const std::string dependencies = match[2];
  for (std::sregex_iterator it(dependencies.begin(), dependencies.end(), dependency), end; it != end; ++it) {
    if (!may_use(layer, (*it).str(1))) {
      findings.push_back({1, std::string(layer.folder) + " may not link " + it->str()});
    }
  }
  return findings;
}

}  // namespace rackcast::layering

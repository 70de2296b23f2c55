#include "tests/layering/source_rules.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>

namespace rackcast::layering {
namespace {

constexpr std::string_view library_prefix = "rackcast_";

/// "rackcast_validation" of "scenarios/validation".
std::string library_of(std::string_view folder) {
  const std::size_t slash = folder.rfind('/');
  return std::string(library_prefix) +
         std::string(slash == std::string_view::npos ? folder : folder.substr(slash + 1));
}

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

/// Lines of code, comments and literals apart, with a match; `what` is said of them before it.
std::vector<Finding> matches_in_code(std::string_view code, const std::regex& forbidden,
                                     std::string_view what) {
  std::vector<Finding> findings;
  for_each_line(without_comments_and_literals(code), [&](int number, const std::string& line) {
    std::smatch match;
    if (std::regex_search(line, match, forbidden))
      findings.push_back({number, std::string(what) + ", not \"" + match.str() + "\""});
  });
  return findings;
}

}  // namespace

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"sim", {}},
      {"topologies", {"sim"}},
      {"models", {"sim", "topologies"}},
      {"scenarios/document", {"sim"}},
      {"scenarios", {"sim", "topologies", "models", "scenarios/document"}},
      {"scenarios/validation", {"sim", "topologies", "models", "scenarios", "scenarios/document"}},
      {"reports", {"sim", "scenarios/document"}},
      {"calibrate", {"sim", "topologies", "models"}},
  };
  return table;
}

const Layer* find_layer(std::string_view folder) {
  const auto found = std::ranges::find(layers(), folder, &Layer::folder);
  return found == layers().end() ? nullptr : &*found;
}

const Layer* layer_of(std::string_view path) {
  const Layer* found = nullptr;
  for (const Layer& layer : layers()) {
    const bool inside = path.starts_with(layer.folder) && path.substr(layer.folder.size()).starts_with('/');
    if (inside && (!found || layer.folder.size() > found->folder.size())) found = &layer;
  }
  return found;
}

const std::vector<Rooms>& rooms() {
  static const std::vector<Rooms> table = {
      {"sim", {{"base"}, {"units"}, {"json"}, {"engine"}, {"program"}}},
      // An entry of a user is read as the program will use it before the catalogue takes it
      // (catalog_check.cpp), so the catalogue knows its typed readers.
      {"topologies", {{"catalog", "hardware", "graph", "nodes", "fabrics", "routing"}, {"drawings"}}},
      {"models",
       {{"."},
        {"networks"},
        {"gpu"},
        {"collectives"},
        {"exchange"},
        {"frameworks"},
        {"graph"},
        {"step"},
        {"split"},
        {"recorded"},
        {"memory"},
        {"data_path"},
        {"serving"},
        {"reliability"},
        {"power"},
        {"site"}}},
      {"scenarios/document", {{"form"}, {".", "fields"}}},
      {"scenarios/validation", {{".", "cases", "settings", "predict"}}},
      {"scenarios",
       {{"names"},
        {"format"},
        {"measured"},
        {"evidence"},
        {"limits"},
        {"splits"},
        {"evaluate"},
        {"site"},
        {"plan"},
        {"result"},
        {"answer"},
        {"serving"},
        {"campaign"},
        {"uncertainty"},
        {"sweep"},
        {"listings"},
        {"launch"},
        {"questions"}}},
      {"reports",
       {{"blocks"},
        {"charts"},
        {"result"},
        {"sentences"},
        {"drawings"},
        {"writers"},
        {"sections"},
        {"pages"}}},
      {"calibrate",
       {{"tables"}, {"fit"}, {"measure"}, {"gpu"}, {"cuda"}, {"host"}, {"storage"}, {"import"}, {"box"}}},
  };
  return table;
}

std::string_view room_of(std::string_view path) {
  const Layer* layer = layer_of(path);
  if (!layer) return {};
  const std::string_view rest = path.substr(layer->folder.size() + 1);
  const std::size_t slash = rest.find('/');
  return slash == std::string_view::npos ? "." : rest.substr(0, slash);
}

std::vector<Finding> includes_from_above(std::string_view path, std::string_view code) {
  static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  const Layer* layer = layer_of(path);
  const auto house = std::ranges::find(rooms(), layer ? layer->folder : "", &Rooms::layer);
  if (house == rooms().end()) return {};
  const auto floor_of = [&](std::string_view room) {
    return std::ranges::find_if(house->floors,
                                [&](const auto& floor) { return std::ranges::count(floor, room) > 0; });
  };
  const auto own = floor_of(room_of(path));
  if (own == house->floors.end()) return {{1, "the table of rooms lacks " + std::string(room_of(path))}};
  std::vector<Finding> findings;
  for_each_line(code, [&](int number, const std::string& line) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) return;
    const std::string target = match[1];
    if (layer_of(target) == layer && floor_of(room_of(target)) > own) {
      findings.push_back({number, std::string(room_of(path)) + " may not include from " +
                                      std::string(room_of(target)) + ", which lies above it"});
    }
  });
  return findings;
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

std::vector<Finding> names_in_code(std::string_view code, const std::vector<std::string>& names) {
  std::string plain;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t skipped = std::max<std::size_t>(1, skipped_length(code, at));
    const bool comment = skipped > 1 && code[at] == '/';
    for (const char c : code.substr(at, skipped))
      plain += comment && c != '\n' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    at += skipped;
  }
  static const std::regex word("[a-z0-9]+");
  std::vector<Finding> out;
  for_each_line(plain, [&](int number, const std::string& line) {
    if (line.starts_with("#include")) return;
    for (std::sregex_iterator it(line.begin(), line.end(), word), end; it != end; ++it)
      if (std::ranges::count(names, it->str()) > 0)
        out.push_back(
            {number, "names \"" + it->str() + "\": what a GPU, its architecture or its maker has is data"});
  });
  return out;
}

std::vector<Finding> forbidden_includes(const Layer& layer, std::string_view code) {
  static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<Finding> findings;
  for_each_line(code, [&](int number, const std::string& line) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) return;
    const std::string target = match[1];
    const Layer* from = layer_of(target);
    const std::string folder = from ? std::string(from->folder) : target.substr(0, target.find('/'));
    const bool ours = from || folder == "tests" || folder == "..";
    if (ours && !may_use(layer, folder)) {
      findings.push_back({number, std::string(layer.folder) + " may not include from " + folder});
    }
  });
  return findings;
}

std::vector<Finding> prints_or_exits(std::string_view code) {
  static const std::regex forbidden(
      R"re(\bstd::(cout|cerr|clog|wcout|wcerr|cin)\b|\bfmt::print\b|\b(f|v|vf)?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|\b(exit|_exit|_Exit|quick_exit)\s*\(|\b(stdout|stderr)\b|<iostream>)re");
  return matches_in_code(code, forbidden, "only main.cpp and commands/ print or exit");
}

std::vector<Finding> reads_wall_clock(std::string_view code) {
  static const std::regex forbidden(
      R"re(\b(system|utc|tai|file|high_resolution)_clock\b|\bstd::time\s*\(|\bCLOCK_REALTIME\b|\b(gettimeofday|timespec_get|localtime|gmtime)\w*\s*\()re");
  return matches_in_code(code, forbidden, "limits and measurements go by a clock that never jumps");
}

std::vector<Finding> forbidden_links(const Layer& layer, std::string_view cmake) {
  static const std::regex call(R"re(rackcast_library\(\s*(\w+)([^)]*)\))re");
  static const std::regex dependency(R"re(\brackcast_(\w+)\b)re");
  const std::string text(cmake);
  std::smatch match;
  if (!std::regex_search(text, match, call)) return {{1, "no rackcast_library() call"}};
  std::vector<Finding> findings;
  if (match[1] != library_of(layer.folder)) {
    findings.push_back({1, "the library is called " + match.str(1)});
  }
  const std::string dependencies = match[2];
  for (std::sregex_iterator it(dependencies.begin(), dependencies.end(), dependency), end; it != end; ++it) {
    const auto allowed = [&](std::string_view folder) {
      return library_of(folder) == it->str();
    };
    if (!allowed(layer.folder) && std::ranges::none_of(layer.may_include, allowed)) {
      findings.push_back({1, std::string(layer.folder) + " may not link " + it->str()});
    }
  }
  return findings;
}

}  // namespace rackcast::layering

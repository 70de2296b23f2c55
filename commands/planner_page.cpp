#include "commands/planner_page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/version.hpp"

namespace rackcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view place = R"(<script type="application/json" id="start">null</script>)";

std::string page_file() {
  std::error_code code;
  const fs::path here = fs::read_symlink("/proc/self/exe", code).parent_path();
  for (const char* beside :
       {"rackcast.html", "../share/rackcast/rackcast.html", "../wasm/package/rackcast.html"})
    if (fs::is_regular_file(here / beside, code)) return (here / beside).lexically_normal().string();
  throw Error{"the planner's page is not there",
              {},
              "`./dev web` builds it; a report without --interactive needs none",
              ErrorKind::usage};
}

/// The page as a text, of this version.
std::string page_text() {
  const std::string file = page_file();
  std::string page = read_file(file);
  if (page.find(place) == std::string::npos ||
      page.find(fmt::format("<meta name=\"generator\" content=\"rackcast {}\">", version())) ==
          std::string::npos)
    throw Error{"this is no page of this planner", Where{.file = file}, "`./dev web` builds it anew",
                ErrorKind::usage};
  return page;
}

/// A document as text inside a script element: no "<" of its own begins or ends anything there.
std::string inside(const nlohmann::ordered_json& document) {
  std::string out = document.dump();
  for (std::size_t at = 0; (at = out.find('<', at)) != std::string::npos; at += 6)
    out.replace(at, 1, "\\u003c");
  return out;
}

}  // namespace

void check_planner_page() {
  (void)page_text();
}

std::string planner_page(const std::string& document) {
  std::string page = page_text();
  const auto result = nlohmann::ordered_json::parse(document);
  if (!result.contains("scenario") || !result["scenario"].contains("text"))
    throw Error{"the result does not hold its scenario", {}, "ask the scenario again with --interactive"};
  const auto& asked = result["scenario"];
  const std::string name = fs::path{asked.value("file", "scenario.json")}.filename().string();
  const nlohmann::ordered_json start{{"document", document},
                                     {"scenario", asked["text"].dump(2) + "\n"},
                                     {"file", name},
                                     {"question", result.value("kind", "size")}};
  page.replace(page.find(place), place.size(),
               fmt::format(R"(<script type="application/json" id="start">{}</script>)", inside(start)));
  return page;
}

}  // namespace rackcast

// What a report carries so that its question can be asked again, and how it is written on a page.
#include "reports/pages/ask_again.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "reports/pages/campaign_report.hpp"
#include "reports/pages/report.hpp"
#include "reports/writers/csv_writer.hpp"
#include "reports/writers/html_ask_again.hpp"
#include "sim/base/input_file.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

const std::string plain = R"({"name": "Fleet"})";

AskAgain again_of(const AskedBefore& asked) {
  const Blocks blocks = ask_again(asked);
  REQUIRE(blocks.size() == 1);
  return std::get<AskAgain>(blocks.front().body);
}

std::string name_of(const std::string& file) {
  return again_of({plain, file, "size", ""}).file;
}

bool names_files(const std::string& scenario) {
  return again_of({scenario, "a.json", "size", ""}).names_files;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a fragment is base64url of the scenario's UTF-8, with question and file") {
  // RFC 4648, 10: "foobar" is Zm9vYmFy; the ends of one and two bytes have no "=".
  AskAgain again{"foobar", "fleet.json", "size"};
  CHECK(planner_fragment(again) == "scenario=Zm9vYmFy&question=size&file=fleet.json");
  again.scenario = "fooba";
  CHECK(planner_fragment(again).starts_with("scenario=Zm9vYmE&"));
  again.scenario = "foob";
  CHECK(planner_fragment(again).starts_with("scenario=Zm9vYg&"));
  again.scenario = "";
  CHECK(planner_fragment(again).starts_with("scenario=&"));
  again.scenario = "\xff\xfe\xfd";  // 111111 111111 111011 111101: "//79" of plain base64
  CHECK(planner_fragment(again).starts_with("scenario=__79&"));
  again.scenario = "Ü🚗";  // c3 9c f0 9f 9a 97
  CHECK(planner_fragment(again).starts_with("scenario=w5zwn5qX&"));
  again.file = "große Flotte 🚗.json";
  CHECK(planner_fragment(again).ends_with("file=gro%C3%9Fe%20Flotte%20%F0%9F%9A%97.json"));
}

TEST_CASE("the page saves, opens and names the command, and needs no script") {
  const AskAgain again = again_of({plain, "scenarios/fleet.json", "simulate", "rackcast simulate f.json"});
  const std::string html = html_ask_again(again, "../rackcast.html");
  // {"name": "Fleet"} and a line end
  CHECK(holds(html, "download=\"fleet.json\""));
  CHECK(holds(html, "href=\"data:application/json;base64,eyJuYW1lIjogIkZsZWV0In0K\""));
  CHECK(holds(html,
              "href=\"../rackcast.html#scenario=eyJuYW1lIjogIkZsZWV0In0K&amp;question=simulate&amp;file="
              "fleet.json\" rel=\"noreferrer\""));
  CHECK(holds(html, ">rackcast simulate fleet.json -o fleet.html<"));
  CHECK_FALSE(holds(html, "<script"));
}

TEST_CASE("where no planner's page is known there is no link, but how to get one") {
  const std::string html = html_ask_again(again_of({plain, "fleet.json", "size", ""}), "");
  CHECK_FALSE(holds(html, "#scenario="));
  CHECK(holds(html, "./dev web"));
  CHECK(holds(html, "download=\"fleet.json\""));
}

TEST_CASE("a scenario that names files is answered by the program, with the command that was typed") {
  for (const char* scenario :
       {R"({"extends": "base"})", R"({"cluster": {"node": "own.json"}})", R"({"calibration": ["box"]})",
        R"({"workloads": [{"graph": {"kineto": "trace*"}}]})", R"({"workloads": [{"model": "net.json"}]})",
        R"({"campaign": {"streams": [{"file": "jobs.txt"}]}})", R"({"cluster": {"fabric": "ib.json"}})"}) {
    CAPTURE(scenario);
    CHECK(names_files(scenario));
    const std::string command = "rackcast size own/fleet.json";
    const std::string html =
        html_ask_again(again_of({scenario, "own/fleet.json", "size", command}), "rackcast.html");
    CHECK_FALSE(holds(html, "#scenario="));
    CHECK(holds(html, "The program answers it"));
    CHECK(holds(html, "beside the files that it names"));
    CHECK(holds(html, "href=\"#reproduce\""));
  }
  CHECK_FALSE(names_files(R"({"name": "own.json", "description": "of own.json", "$schema": "s.json"})"));
  CHECK_FALSE(names_files(R"({"cluster": {"node": "dgx1v_16gb", "link": "100 GB/s"}})"));
  CHECK(again_of({plain, "f.json", "size", "rackcast size f.json --catalog mine"}).names_files);
  CHECK(again_of({plain, "f.json", "size", "rackcast size f.json --limit 10s"}).typed_says_more);
}

TEST_CASE("a file is saved under a name that can do no harm") {
  CHECK(name_of("/home/me/fleet.json") == "fleet.json");
  CHECK(name_of("C:\\fleets\\fleet.json") == "fleet.json");
  CHECK(name_of("scenario") == "scenario.json");
  CHECK(name_of("") == "scenario.json");
  CHECK(name_of("..") == "scenario...json");
  CHECK(name_of(".json") == "scenario.json");
  CHECK(name_of("-rf.json") == "scenario-rf.json");
  CHECK(name_of("$(rm x)'\"<b>.json") == "scenario--rm x----b-.json");
  CHECK(name_of("Größe 🚗.json") == "Größe 🚗.json");
  CHECK(name_of(std::string(500, 'x')).size() == 125);  // 120 and ".json"
  CHECK(name_of(std::string(119, 'x') + "ü") == std::string(119, 'x') + ".json");
  const AskAgain spaced = again_of({plain, "a b.json", "size", ""});
  CHECK(holds(html_ask_again(spaced, ""), "rackcast size &#39;a b.json&#39; -o &#39;a b.html&#39;"));
}

TEST_CASE("hostile scenarios and addresses stay data") {
  const std::string hostile = R"({"name": "</script><img src=x onerror=alert(1)>\"'&<!--"})";
  const std::string html =
      html_ask_again(again_of({hostile, "\"><img src=x>.json", "size", ""}), "a.html\" onclick=\"alert(1)");
  CHECK_FALSE(holds(html, "<img"));
  CHECK_FALSE(holds(html, "</script>"));
  CHECK_FALSE(holds(html, "\" onclick"));
}

TEST_CASE("what holds no scenario is not asked again") {
  for (const char* text : {"", "null", "[]", "\"text\"", "{", "name: x"}) {
    CAPTURE(text);
    CHECK(ask_again({text, "a.json", "size", ""}).empty());
  }
}

TEST_CASE("a scenario that is too long for a link is saved or copied instead") {
  // 4/3 of the bytes: 600,000 fit into 1,000,000 letters, 800,000 do not.
  const auto long_one = [](std::size_t size) {
    return again_of({R"({"name": ")" + std::string(size, 'x') + R"("})", "long.json", "size", ""});
  };
  CHECK(holds(html_ask_again(long_one(600'000), "rackcast.html"), "rackcast.html#scenario="));
  const std::string html = html_ask_again(long_one(800'000), "rackcast.html");
  CHECK(html.size() < 2000);
  CHECK(holds(html, "href=\"rackcast.html\""));
  CHECK(holds(html, "too long for a link"));
  CHECK(holds(html, "href=\"#reproduce\""));
}

TEST_CASE("the button stands below the decision on pages, and nowhere else") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/fleet_feasible.json";
  const Report report = build_report(load_result(read_file(file), "result"));
  const std::string html = write_html(report, "rackcast.html");
  const auto at = html.find("Ask this again");
  REQUIRE(at != std::string::npos);
  CHECK(html.find("class=\"headline") < at);
  CHECK(at < html.find("<h3"));
  CHECK(holds(html, "rackcast.html#scenario="));
  CHECK_FALSE(holds(write_html(report), "#scenario="));
  CHECK_FALSE(holds(write_markdown(report), "Ask this again"));
  CHECK_FALSE(holds(write_text(report), "Ask this again"));
}

// What sections say to a reader who has never seen the program.
#include "reports/sections/sections.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "reports/writers/html_what_if.hpp"
#include "scenarios/answer/explain.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

/// The words of all paragraphs, lists and boxes.
std::string words_of(const Blocks& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    if (const auto* box = std::get_if<Headline>(&block.body)) out += box->lead + "\n";
    if (const auto* text = std::get_if<Paragraph>(&block.body)) out += text->text + "\n";
    if (const auto* list = std::get_if<List>(&block.body))
      for (const std::string& item : list->items) out += item + "\n";
  }
  return out;
}

bool says(const Blocks& blocks, const std::string& part) {
  return words_of(blocks).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a bill without any price says so, and how to get prices") {
  ResultDocument document;
  document.site.emplace();
  document.site->bill.resize(3);
  CHECK(says(bill_section(document), "3 rows, none of them with a price; \"prices\" with a date"));
}

TEST_CASE("a published run of another batch is named as another training") {
  ResultDocument document;
  document.workloads.emplace_back();
  WorkloadResult& workload = document.workloads.back();
  workload.title = "DLRM";
  PublishedComparison row;
  row.label = "8 nodes";
  row.published_s = 60;
  row.global_batch = 442368;
  row.published_global_batch = 71680;
  workload.published = {row};
  CHECK(says(published_section(document), "took 71,680 samples in a step, the prediction takes 442,368"));
  workload.published.front().global_batch = 71680;
  CHECK_FALSE(says(published_section(document), "in a step"));
}

TEST_CASE("predictions beside published numbers say that they leave failures out") {
  ResultDocument document;
  document.workloads.emplace_back();
  document.workloads.back().published.emplace_back();
  CHECK_FALSE(says(published_section(document), "leave failures"));
  document.workloads.back().reliability.emplace();
  CHECK(says(published_section(document), "leave failures and checkpoints out"));
}

TEST_CASE("a part of the cost that is left out is named, and so is each other") {
  ResultDocument document;
  document.site.emplace();
  document.site->cost.emplace();
  document.site->cost->missing = {doc::Reason{"no_staff"}, doc::Reason{"without_units", {{"item", "2 x A"}}}};
  const Blocks blocks = risks_section(document);
  REQUIRE(blocks.size() == 1);
  bool found = false;
  for (const auto& row : std::get<Table>(blocks.front().body).rows)
    found = found || row[1].text ==
                         "2 parts are left out: staff: none asked for (site.prices.staff); racks of 2 x A: "
                         "its rack units are not known.";
  CHECK(found);
}

TEST_CASE("the page carries the outcome of every combination, and shows the one that was asked") {
  WhatIf what_if{{{"Deadline", "goal.deadline", {"7 days", "14 days"}, {}, 1},
                  {"Feed", "site.power.feed", {"20 kW", "40 kW"}, {}, 0}},
                 {{"none", {}}, {"9 nodes", {}}, {"4 nodes", {"56 % odds"}}, {"5 nodes", {}}}};
  const std::string html = html_what_if(what_if);
  CHECK(html.find(R"(id="what-if-answer">4 nodes</p>)") != std::string::npos);  // 1 * 2 + 0
  CHECK(html.find("<li>56 % odds</li>") != std::string::npos);
  CHECK(html.find(R"("counts":[2,2])") != std::string::npos);
  what_if.outcomes.pop_back();  // a grid with a hole answers nothing
  CHECK(html_what_if(what_if).empty());
}

TEST_CASE("the update of the parameters belongs to neither pass") {
  const Scenario scenario = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/buy_or_rent.json");
  const std::string text = explain_step(scenario, Catalog::builtin(), "", 15);
  CHECK(text.find("\"update\",") != std::string::npos);
}

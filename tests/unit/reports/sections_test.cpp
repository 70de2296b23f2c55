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

ResultDocument sized_document() {
  ResultDocument document;
  document.kind = ResultDocument::Kind::size;
  document.answer.feasible = true;
  document.answer.nodes = 8;
  document.answer.gpus = 64;
  document.answer.node_title = "DGX-1V";
  document.answer.workload = "x";
  document.answer.binds = "GPU compute";
  document.performance.time_to_train = Prediction{13.0 * 86400, 12.0 * 86400, 14.0 * 86400, "s"};
  WorkloadResult x;
  x.model = "x";
  x.title = "X";
  document.workloads = {x};
  document.answer.deadline_probability = 0.6;
  document.deadline_s = 14.0 * 86400;
  return document;
}

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

TEST_CASE("the decision opens with the answer and ends with what was assumed") {
  ResultDocument document = sized_document();
  document.workloads.push_back(document.workloads.front());
  document.workloads.back().title = "Y";
  document.premise.stated = true;
  document.premise.times_s = {13.0 * 86400, 7.0 * 86400};
  document.answer.spares = 2;
  const auto box = std::get<Headline>(decision_section(document).front().body);
  CHECK(box.lead ==
        "8 nodes and 2 spares meet the deadline of 14 days with a probability of 60 %. 8 + 2 spares x DGX-1V "
        "(64 GPUs) train the slowest of 2 workloads, X, in 13 days, bound by GPU compute; the deadline is 14 "
        "days. Each workload is on its own: it has the whole cluster and the whole deadline to itself. One "
        "after another they would take 20 days on 8 nodes, past the deadline of 14 days.");
}

TEST_CASE("racks and price stand in the first sentence where they are known") {
  ResultDocument document = sized_document();
  document.answer.nodes = 1;
  document.site.emplace();
  document.site->racks.count = 1;
  document.site->bill_total_usd = 150'000;
  document.site->bill.emplace_back();
  document.site->bill.back().unit_price_usd = document.site->bill.back().total_usd = 150'000;
  CHECK(says(decision_section(document),
             "1 node in 1 rack costs 150000 USD to buy and meets the deadline of 14 days with a "
             "probability of 60 %. "));
  document.answer.deadline_probability.reset();
  document.site->bill.clear();
  CHECK(says(decision_section(document), "1 node fills 1 rack. "));
}

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

TEST_CASE("the sliders answer with the spare nodes of the answer") {
  WhatIf what_if{"DGX", 86400, 8, 2, {}, {}};
  what_if.workloads = {{"X", 100, 1, {{8, 64, 1, 1, 1}, {16, 128, 2, 2, 2}}}};
  const std::string html = html_what_if(what_if);
  CHECK(html.find("8 + 2 spares × DGX") != std::string::npos);
  CHECK(html.find("\"spares\":2") != std::string::npos);
}

TEST_CASE("the update of the parameters belongs to neither pass") {
  const Scenario scenario = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/buy_or_rent.json");
  const std::string text = explain_step(scenario, Catalog::builtin(), "", 15);
  CHECK(text.find("\"update\",") != std::string::npos);
}

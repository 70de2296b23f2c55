// The page that one decides by: the recommendation, a verdict whose words say what its colour says, what more
// certainty costs, the largest risks. In every format, and nothing twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <variant>

#include "reports/pages/report.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "tests/render_document.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

constexpr double day = 86400;

ResultDocument sized_document() {
  ResultDocument d;
  d.kind = ResultDocument::Kind::size;
  d.answer.feasible = true;
  d.answer.nodes = 8;
  d.answer.gpus = 64;
  d.answer.node_title = "DGX-1V";
  d.answer.workload = "x";
  d.answer.binds = "GPU compute";
  d.answer.binding_constraint = "deadline";
  d.performance.time_to_train = Prediction{13 * day, 7 * day, 26 * day, "s"};
  WorkloadResult x;
  x.model = "x";
  x.title = "X";
  x.precision = "mixed";
  d.workloads = {x};
  d.answer.deadline_probability = 0.6;
  d.deadline_s = 14 * day;
  return d;
}

/// With a price of 1 million USD, and 90 % odds with 13 nodes for 1.5 million USD.
ResultDocument priced_document() {
  ResultDocument d = sized_document();
  d.site.emplace();
  d.site->racks.count = 2;
  d.site->bill_total_usd = 1e6;
  d.site->bill.emplace_back();
  d.site->bill.back().unit_price_usd = d.site->bill.back().total_usd = 1e6;
  doc::PlanCandidate c;
  c.node_title = "DGX-1V";
  c.nodes = 8;
  c.gpus = 64;
  c.time_s = 13 * day;
  c.capex_usd = 1e6;
  c.racks = 2;
  d.plan.emplace();
  d.plan->objective = "fewest-nodes";
  d.plan->chosen = c;
  c.nodes = 13;
  c.gpus = 104;
  c.time_s = 8 * day;
  c.capex_usd = 1.5e6;
  c.racks = 3;
  d.plan->confident = doc::Plan::Confident{0.9, 0.92, {}, c};
  return d;
}

Headline box_of(const ResultDocument& d) {
  return std::get<Headline>(decision_section(d).front().body);
}

const Table* table_of(const Blocks& blocks) {
  for (const Block& block : blocks)
    if (const auto* table = std::get_if<Table>(&block.body)) return table;
  return nullptr;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string decision_text(const ResultDocument& d) {
  return write_text(decide_layer(build_report(d)));
}

/// A batch of so many samples.
doc::Reason step_of(double samples) {
  return doc::Reason{"batch",
                     {{"samples", samples}, {"per_gpu", 64}, {"gpus", 32}, {"passes", 1}, {"fixed", false}}};
}

}  // namespace

TEST_CASE("the verdict has the colour of the odds: 90 % or more, 50 % or more, less") {
  ResultDocument d = sized_document();
  struct Case {
    double odds;
    Tone tone;
    const char* words;
  };
  for (const Case& c : {Case{1, Tone::good, "On track"}, Case{0.9, Tone::good, "On track"},
                        Case{0.8999, Tone::caution, "At risk"}, Case{0.5, Tone::caution, "At risk"},
                        Case{0.4999, Tone::bad, "Unlikely"}, Case{0, Tone::bad, "Unlikely"}}) {
    CAPTURE(c.odds);
    d.answer.deadline_probability = c.odds;
    CHECK(verdict(d).tone == c.tone);
    CHECK(verdict(d).words.starts_with(c.words));
  }
  d.answer.deadline_probability.reset();
  CHECK(verdict(d).tone == Tone::caution);  // in time, but nobody knows how surely
  d.performance.time_to_train->value = 15 * day;
  CHECK(verdict(d).tone == Tone::bad);
  d.deadline_s.reset();
  CHECK(verdict(d).tone == Tone::plain);  // nothing was asked that could be missed
  CHECK(verdict(d).words.empty());
}

TEST_CASE("a limit that breaks is red whatever the odds, and a search that was ended is not green") {
  ResultDocument d = sized_document();
  d.answer.deadline_probability = 0.99;
  d.plan.emplace();
  d.plan->partial = true;
  CHECK(verdict(d).tone == Tone::caution);
  d.answer.feasible = false;
  d.answer.conflicts = {{"site_power", "100 kW", "120 kW", {}}};
  CHECK(verdict(d).tone == Tone::bad);
  d.kind = ResultDocument::Kind::simulate;
  CHECK(verdict(d).words == "Breaks a limit: site power");
  d.answer.conflicts.push_back(
      {"budget", "1 USD", "", doc::Reason{"undecided", {{"allowed", "1 USD"}, {"missing", "the price"}}}});
  CHECK(verdict(d).words == "Breaks a limit: site power. Cannot be decided: budget");
  CHECK(verdict(d).tone == Tone::bad);
  d.answer.conflicts.erase(d.answer.conflicts.begin());
  CHECK(verdict(d).words == "Cannot be decided: budget");
  CHECK(verdict(d).tone == Tone::caution);
  d.answer.binding_constraint = "limit";
  CHECK(verdict(d).words == "Not finished");
}

TEST_CASE("odds just below a bound are not rounded over it") {
  CHECK(odds_text(0.8999) == "89 %");  // and not "90 %" beside "below 90 %"
  CHECK(odds_text(0.9) == "90 %");
  CHECK(odds_text(0.4999) == "49 %");
  CHECK(odds_text(0.5539) == "55 %");
  CHECK(odds_text(0.997) == "99.7 %");
}

TEST_CASE("the first sentence is what to buy, for how much, for what, and with which odds") {
  ResultDocument d = priced_document();
  CHECK(recommendation(d) ==
        "Buy 8 × DGX-1V for 1 million USD to train X: 60 % odds of meeting the deadline of 14 days");
  d.answer.deadline_probability = 0.49;  // no advice to buy
  CHECK(recommendation(d) ==
        "At least 8 × DGX-1V for 1 million USD to train X: 49 % odds of meeting the deadline of 14 days");
  d.answer.deadline_probability = 0.6;
  d.answer.spares = 2;
  d.site.reset();
  d.workloads.push_back(d.workloads.front());
  CHECK(recommendation(d) ==
        "Use 8 + 2 spares × DGX-1V to train 2 workloads: 60 % odds of meeting the deadline of 14 days");
  d.kind = ResultDocument::Kind::simulate;
  d.deadline_s.reset();
  CHECK(recommendation(d) == "8 + 2 spares × DGX-1V to train 2 workloads: done in 13 days");
}

TEST_CASE("a limit binds the size of an answer; a cluster that is given has a bottleneck") {
  ResultDocument d = sized_document();
  const auto labels = [&d] {
    std::string out;
    for (const Fact& fact : box_of(d).facts) out += fact.label + ": " + fact.value + "; ";
    return out;
  };
  CHECK(labels().find("What binds: deadline; ") != std::string::npos);
  d.kind = ResultDocument::Kind::simulate;
  d.answer.binding_constraint = d.answer.binds;
  CHECK(labels().find("What binds") == std::string::npos);
  CHECK(labels().find("Bottleneck: GPU compute; ") != std::string::npos);
}

TEST_CASE("counts of nodes are called uneven only where the batch does not divide by their GPUs") {
  ResultDocument d = sized_document();
  d.answer.why_not_fewer = Answer::WhyNotFewer{4, "deadline", {}, {}, {}};
  d.workloads.front().batch.emplace();
  d.workloads.front().batch->what = step_of(8192);
  const auto batch = [&d](double samples) {
    d.workloads.front().global_batch = samples;
    std::string out;
    for (const Fact& fact : box_of(d).facts)
      if (fact.label == "Batch") out += fact.detail;
    return out;
  };
  CHECK(batch(8192) == "5 to 7 nodes do not deal it out evenly");
  CHECK(batch(26880).empty());  // they do: something else is why none of them is the answer
  CHECK(batch(8192 * 5).empty());
  d.answer.why_not_fewer->nodes = 6;
  CHECK(batch(8192) == "7 nodes do not deal it out evenly");
  d.answer.why_not_fewer->nodes = 7;
  CHECK(batch(8192).empty());
}

TEST_CASE("several workloads have their premise in the first paragraph") {
  ResultDocument d = sized_document();
  d.workloads.push_back(d.workloads.front());
  d.workloads.back().title = "Y";
  d.premise.stated = true;
  d.premise.times_s = {13 * day, 7 * day};
  CHECK(box_of(d).lead ==
        "Each workload is on its own: it has the whole cluster and the whole deadline to itself. One "
        "after another they would take 20 days on 8 nodes, past the deadline of 14 days.");
}

TEST_CASE("the plan of 90 % stands beside the answer with the money between them") {
  const Blocks blocks = decision_section(priced_document());
  const Table* table = table_of(blocks);
  REQUIRE(table != nullptr);
  CHECK(table->columns[1].title == "8 nodes");
  CHECK(table->columns[2].title == "13 nodes");
  REQUIRE(table->rows.size() == 4);
  CHECK(table->rows[0][1].text == "60 %");
  CHECK(table->rows[0][2].text == "92 %");
  CHECK(table->rows[1][3].text == "-5 days");
  CHECK(table->rows[2][0].text == "Purchase");
  CHECK(table->rows[2][3].value == 0.5e6);  // 1.5 less 1 million USD
  CHECK(table->rows[3][3].text == "+1");    // racks
}

TEST_CASE("a plan of 90 % that breaks a limit says so, in red") {
  ResultDocument d = priced_document();
  d.plan->confident->at->breaks = {"site_power"};
  const Blocks blocks = decision_section(d);
  const auto& last = table_of(blocks)->rows.back();
  CHECK(last[2].text == "site power");
  CHECK(last[2].tone == Tone::bad);
}

TEST_CASE("sums that leave something out have no exact difference") {
  ResultDocument d = priced_document();
  d.plan->confident->at->no_price = {"2 x a switch"};
  const Blocks blocks = decision_section(d);
  CHECK(table_of(blocks)->rows[2][2].text.starts_with("at least"));
  CHECK(table_of(blocks)->rows[2][3].text.ends_with("of what is known"));
}

TEST_CASE("an answer that is safe already, or never, has no second plan") {
  ResultDocument d = priced_document();
  d.plan->confident->at->nodes = 8;
  CHECK(table_of(decision_section(d)) == nullptr);
  d.plan->confident = doc::Plan::Confident{0.9, {}, 100, {}};
  CHECK(table_of(decision_section(d)) == nullptr);
  CHECK(decision_text(d).find("No count up to 100 nodes reaches odds of 90 %.") != std::string::npos);
}

TEST_CASE("three risks stand on the first page, each with its size; all of them in their section") {
  ResultDocument d = priced_document();
  d.site->racks.power_limit_w = 35e3;
  d.site->racks.groups.emplace_back();
  d.site->racks.groups.back().nameplate_w = 38.2e3;
  d.site->racks.groups.back().expected_w = 34e3;
  PublishedComparison row;
  row.label = "1 node";
  row.published_s = 100;
  row.predicted = Prediction{250, 200, 300, "s"};
  d.workloads.front().published = {row, row};
  d.workloads.front().published.back().predicted->low = 90;
  const Blocks risks = largest_risks(d);
  REQUIRE(risks.size() == 2);
  const auto& items = std::get<List>(risks.back().body).items;
  CHECK(items ==
        std::vector<std::string>{"The deadline may be missed: up to 12 days late (90 % interval).",
                                 "A rack's nameplate exceeds its supply: 38.2 kW on a supply of 35 kW.",
                                 "A rack draws close to its limit: 34 kW of 35 kW."});
  const auto all = std::get<Table>(risks_section(d).front().body).rows;
  CHECK(std::ranges::any_of(all, [](const auto& r) {
    return r[0].text == "Published figures outside the intervals" &&
           r[1].text.starts_with("1 of 2: X, 1 node");
  }));
}

TEST_CASE("issue 23, item 9: a rack that comes with what stands in it is held against its own limit") {
  ResultDocument d = priced_document();
  d.site->racks.power_limit_w = 25e3;
  d.site->racks.groups.resize(2);
  auto& own = d.site->racks.groups.front();
  own.power_limit_w = 132e3;
  own.nameplate_w = 120e3;
  own.expected_w = 95e3;
  auto& usual = d.site->racks.groups.back();
  usual.nameplate_w = 20e3;
  usual.expected_w = 12e3;
  CHECK(decision_text(d).find("A rack") == std::string::npos);
  usual.nameplate_w = 26e3;
  CHECK(decision_text(d).find("A rack's nameplate exceeds its supply: 26 kW on a supply of 25 kW.") !=
        std::string::npos);
}

TEST_CASE("issue 23, item 8: a price without the servers says on the first page what it leaves out") {
  ResultDocument d = priced_document();
  CHECK(decision_text(d).find("whose price is not known") == std::string::npos);
  d.site->no_price = {"8 x DGX-1V"};
  const Headline box = box_of(d);
  const auto row = std::ranges::find(box.facts, "Purchase", &Fact::label);
  REQUIRE(row != box.facts.end());
  CHECK(row->value.starts_with("at least"));
  CHECK(row->detail.find("8 x DGX-1V") != std::string::npos);
}

TEST_CASE("issue 23, item 12: the first page names a batch that grows, and one that is more than the data") {
  ResultDocument d = sized_document();
  WorkloadResult& w = d.workloads.front();
  w.batch.emplace();
  w.batch->what = step_of(2048);
  w.batch->grows_with_gpus = true;
  w.samples = 2048;
  w.global_batch = 2048;
  CHECK(decision_text(d).find("2,048 samples, grows with the GPUs") != std::string::npos);
  CHECK(decision_text(d).find("A step takes more samples") == std::string::npos);
  w.samples = 1000;
  CHECK(decision_text(d).find("A step takes more samples than the data set has: 2,048 of 1,000.") !=
        std::string::npos);
  w.batch->grows_with_gpus = false;
  CHECK(decision_text(d).find("grows with the GPUs") == std::string::npos);
}

TEST_CASE("issue 23, item 3: that a GPU does not have a precision is no risk of the answer") {
  ResultDocument d = priced_document();
  Answer::Change change;
  change.input = "precision";
  change.change = "fp8";
  change.why = doc::Reason{"precision", {{"message", "no fp8"}, {"hint", ""}}};
  d.answer.changes = {change};
  const auto is_risk = [&d] {
    return decision_text(d).find("No cluster size fixes this change") != std::string::npos;
  };
  CHECK_FALSE(is_risk());
  d.answer.changes.front().why.reset();
  CHECK(is_risk());
}

TEST_CASE("verdict and recommendation are the same in every format, and nothing is said twice") {
  const ResultDocument d = priced_document();
  for (const std::string& page : {decision_text(d), render_markdown(d), render_html(d)}) {
    CAPTURE(page.substr(0, 2000));
    CHECK(page.find("At risk: odds between 50 % and 90 %") != std::string::npos);
  }
  CHECK(render_html(d).find("<div class=\"headline caution\">") != std::string::npos);
  const std::string text = decision_text(d);
  CHECK(count(text, "DGX-1V") == 1);
  CHECK(count(text, "14 days") == 1);
  CHECK(count(text, "60 %") == 2);  // the recommendation, and beside the other plan
}

TEST_CASE("colour only where a terminal has it; the words stay") {
  const Report page = decide_layer(build_report(priced_document()));
  CHECK(write_text(page).find('\x1b') == std::string::npos);
  CHECK(write_text(page, {.colour = true}).find("\x1b[33mAt risk") != std::string::npos);
}

TEST_CASE("a first page that is too long goes without its least figures, and keeps what decides") {
  ResultDocument d = priced_document();
  for (int i = 0; i < 6; ++i) d.warnings.emplace_back("ended_early");
  const std::string whole = write_text(Report{"", "", {build_report(d).sections.front()}}, {.width = 60});
  REQUIRE(std::ranges::count(whole, '\n') > 24);
  const std::string page = write_text(decide_layer(build_report(d), {.width = 60}), {.width = 60});
  CHECK(std::ranges::count(page, '\n') <= 24);
  CHECK(page.find("At risk") != std::string::npos);
  CHECK(page.find("Purchase") != std::string::npos);
  CHECK(page.find("Largest risks") != std::string::npos);
  CHECK(page.find("in the full report") != std::string::npos);  // what was left out is said
}

TEST_CASE("the first page alone is short, and all of the report begins with it") {
  const ResultDocument d = priced_document();
  const std::string page = decision_text(d);
  CHECK(std::ranges::count(page, '\n') <= 25);
  CHECK(render_text(d).starts_with(page));
}

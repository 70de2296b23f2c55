#include "scenarios/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scenarios/campaign/campaign_simulation.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/evaluator.hpp"
#include "scenarios/scenario.hpp"
#include "sim/quantity_text.hpp"
#include "sim/table_document.hpp"

namespace rackcast {

namespace {

/// Failures of the jobs of this scenario; their checkpoint intervals by size.
class Failures {
 public:
  Failures(const Scenario& scenario, Evaluator& evaluator)
      : question_(question(scenario, scenario.workloads.front())), evaluator_(evaluator) {
    const FailurePlan whole = *evaluator.failures(question_);
    values_.node_mtbf = whole.node.mtbf;
    values_.replaced = whole.node.replacements() / whole.node.interruptions();
    values_.repair = whole.repair;
    values_.spares = whole.spares;
    values_.job = [this](int nodes) {
      return of(nodes);
    };
  }
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  [[nodiscard]] const CampaignFailures& values() const { return values_; }

 private:
  GoodputSpec of(int nodes) {
    const auto it = known_.find(nodes);
    if (it != known_.end()) return it->second;
    question_.cluster.nodes = nodes;
    return known_.emplace(nodes, evaluator_.failures(question_)->spec).first->second;
  }

  Question question_;
  Evaluator& evaluator_;
  std::map<int, GoodputSpec> known_;
  CampaignFailures values_;
};

StreamStatistics statistics(const CampaignReport& r, std::size_t stream, Duration from) {
  StreamStatistics out;
  std::vector<double> wait, completion, recorded;
  double leaves = 0;
  for (std::size_t i = 0; i < r.jobs.jobs.size(); ++i) {
    const CampaignJob& job = r.jobs.jobs[i];
    const JobOutcome& what = r.outcome.jobs[i];
    if (job.stream != stream || job.submit < from) continue;
    ++out.submitted;
    out.failures += static_cast<std::size_t>(what.failures);
    out.preemptions += static_cast<std::size_t>(what.preemptions);
    if (job.recorded_wait) recorded.push_back(job.recorded_wait->base());
    if (what.started) {
      ++out.started;
      leaves += what.leaves;
      wait.push_back((*what.started - job.submit).base());
    }
    if (what.ended) {
      ++out.finished;
      completion.push_back((*what.ended - job.submit).base());
    }
  }
  if (out.started > 0) out.leaves = leaves / static_cast<double>(out.started);
  out.wait = percentiles(std::move(wait));
  out.completion = percentiles(std::move(completion));
  out.recorded_wait = percentiles(std::move(recorded));
  return out;
}

std::string time_text(double seconds) {
  return std::isnan(seconds) ? "" : to_text(Duration{seconds});
}

std::string share_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

TableDocument::Table totals(const Scenario& s, const CampaignReport& r) {
  TableDocument::Table t{"", {{"Cluster"}, {"", true}}, {}};
  t.rows = {{"Nodes", grouped(r.nodes)},
            {"Jobs submitted", grouped(static_cast<double>(r.jobs.jobs.size()))},
            {"Work offered, share of the capacity", share_text(r.offered)},
            {"Utilisation after the warm-up", share_text(r.utilisation)}};
  if (s.failures) {
    t.rows.push_back({"Goodput: safe work per time held", share_text(r.goodput)});
    t.rows.push_back({"Failures", grouped(static_cast<double>(r.outcome.failures))});
  }
  if (s.campaign->scheduler.preemption)
    t.rows.push_back({"Preemptions", grouped(static_cast<double>(r.outcome.preemptions))});
  return t;
}

TableDocument::Table waits(const Scenario& s, const CampaignReport& r) {
  TableDocument::Table t{"Queue wait, and completion from submission to end",
                         {{"Stream"},
                          {"Jobs", true},
                          {"Finished", true},
                          {"Wait 50 %", true},
                          {"90 %", true},
                          {"99 %", true},
                          {"Done 50 %", true},
                          {"90 %", true},
                          {"99 %", true}},
                         {}};
  for (std::size_t i = 0; i < r.streams.size(); ++i) {
    const StreamStatistics& x = r.streams[i];
    t.rows.push_back({s.campaign->streams[i].name, grouped(static_cast<double>(x.submitted)),
                      grouped(static_cast<double>(x.finished)), time_text(x.wait.p50), time_text(x.wait.p90),
                      time_text(x.wait.p99), time_text(x.completion.p50), time_text(x.completion.p90),
                      time_text(x.completion.p99)});
    if (std::isnan(x.recorded_wait.p50)) continue;
    t.rows.push_back({"  as recorded", "", "", time_text(x.recorded_wait.p50), time_text(x.recorded_wait.p90),
                      time_text(x.recorded_wait.p99), "", "", ""});
  }
  return t;
}

TableDocument::Table sources(const Scenario& s, const CampaignReport& r) {
  TableDocument::Table t{
      "Where the jobs come from",
      {{"Stream"}, {"Kind"}, {"Nodes", true}, {"Run time, mean", true}, {"Leaves, mean", true}, {"From"}},
      {}};
  for (std::size_t i = 0; i < r.streams.size(); ++i) {
    const StreamSpec& spec = s.campaign->streams[i];
    const StreamJobs& jobs = r.jobs.streams[i];
    std::string from = jobs.work_from;
    if (jobs.left_out > 0) from += fmt::format("; {} larger than the cluster left out", jobs.left_out);
    if (jobs.never_ran > 0) from += fmt::format("; {} that never ran left out", jobs.never_ran);
    t.rows.push_back({spec.name, std::string{to_string(spec.kind)},
                      spec.kind == StreamKind::recorded ? "" : grouped(spec.nodes), to_text(jobs.work),
                      fmt::format("{:.2f}", r.streams[i].leaves), from});
  }
  return t;
}

}  // namespace

Percentiles percentiles(std::vector<double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {none, none, none};
  std::ranges::sort(values);
  const auto at = [&values](double share) {
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
  };
  return {at(0.5), at(0.9), at(0.99)};
}

CampaignReport run_campaign(const Scenario& s, const Catalog& catalog) {
  if (!s.campaign) {
    s.text.fail("`rackcast campaign` needs a \"campaign\"",
                R"(for example "campaign": { "duration": "30 days", "streams": [{ "kind": "team", ... }] })");
  }
  Evaluator evaluator{catalog, {}, s.calibration};
  CampaignReport out;
  out.nodes = s.cluster.nodes;
  out.jobs = campaign_jobs(s, evaluator, out.nodes);
  std::optional<Failures> failures;
  if (s.failures) failures.emplace(s, evaluator);
  out.outcome = simulate_campaign(*s.campaign, out.nodes, out.jobs.jobs,
                                  failures ? &failures->values() : nullptr, s.seed);
  double work = 0;
  for (const CampaignJob& job : out.jobs.jobs) work += job.nodes * job.work.base();
  out.offered = work / (out.nodes * s.campaign->duration.base());
  out.utilisation = out.outcome.busy / out.outcome.available;
  out.goodput = out.outcome.occupied > 0 ? out.outcome.useful / out.outcome.occupied : 1;
  for (std::size_t i = 0; i < s.campaign->streams.size(); ++i)
    out.streams.push_back(statistics(out, i, s.campaign->warm_up));
  return out;
}

std::string campaign_document(const Scenario& s, const CampaignReport& r) {
  TableDocument document;
  document.title = s.name;
  document.subtitle =
      fmt::format("A campaign of {} on {} ({}), scheduled {}{}", to_text(s.campaign->duration),
                  count_of(r.nodes, "node"), s.cluster.node, to_string(s.campaign->scheduler.policy),
                  s.campaign->scheduler.preemption ? " with preemption" : "");
  document.tables = {totals(s, r), waits(s, r), sources(s, r)};
  return document.json();
}

}  // namespace rackcast

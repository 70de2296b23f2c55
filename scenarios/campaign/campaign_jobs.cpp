#include "scenarios/campaign/campaign_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "scenarios/campaign/gang_speed.hpp"
#include "scenarios/campaign/sacct.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/count_text.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/random.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr Duration kDay{86400};
constexpr std::size_t kMostJobs = 2'000'000;

[[noreturn]] void fail(const StreamSpec& s, std::string message, std::string hint = {}) {
  throw Error{std::move(message), s.where, std::move(hint)};
}

class Builder {
 public:
  Builder(const Scenario& scenario, Evaluator& evaluator, int nodes, const GangSpeed* gangs)
      : scenario_(scenario), evaluator_(evaluator), nodes_(nodes), gangs_(gangs) {}

  CampaignJobs build() {
    const auto& streams = scenario_.campaign->streams;
    for (stream_ = 0; stream_ < streams.size(); ++stream_) {
      out_.streams.emplace_back();
      const std::size_t before = out_.jobs.size();
      add(streams[stream_]);
      StreamJobs& s = out_.streams.back();
      s.jobs = out_.jobs.size() - before;
      double sum = 0;
      for (std::size_t i = before; i < out_.jobs.size(); ++i) sum += out_.jobs[i].work.base();
      if (s.jobs > 0) s.work = Duration{sum / static_cast<double>(s.jobs)};
    }
    std::ranges::stable_sort(out_.jobs, {}, &CampaignJob::submit);
    return std::move(out_);
  }

 private:
  void add(const StreamSpec& s) {
    if (s.kind == StreamKind::recorded) return recorded(s);
    if (s.nodes > nodes_)
      fail(s, fmt::format("each job of \"{}\" needs {} nodes at once and the cluster has {}", s.name, s.nodes,
                          nodes_));
    switch (s.kind) {
      case StreamKind::run:
        push(s, first_user_++, s.at, work(s, scenario_.data.samples));
        break;
      case StreamKind::team:
        team(s);
        break;
      case StreamKind::ensemble:
        ensemble(s);
        break;
      case StreamKind::retraining:
        retraining(s);
        break;
      case StreamKind::recorded:
        break;
    }
  }

  void push(const StreamSpec& s, int user, Duration submit, Duration work) {
    if (submit >= scenario_.campaign->duration) return;
    if (!(work > Duration{0})) fail(s, fmt::format("a job of \"{}\" has nothing to do", s.name));
    if (out_.jobs.size() >= kMostJobs) fail(s, "more than 2 million jobs");
    CampaignJob job;
    job.stream = stream_;
    job.user = user;
    job.submit = submit;
    job.nodes = s.nodes;
    job.work = work;
    job.limit = s.limit_factor * work;
    job.priority = s.priority;
    job.preemptible = s.preemptible;
    job.simulated = s.kind != StreamKind::recorded && !s.work && !s.rate;
    out_.jobs.push_back(job);
  }

  /// Run time of one job that trains on `samples` where nothing fails.
  Duration work(const StreamSpec& s, double samples) {
    std::string& from = out_.streams.back().work_from;
    if (s.work) {
      from = "stated";
      return *s.work;
    }
    const WorkloadSpec& w = workload_of(scenario_, s);
    Question q = question(scenario_, w);
    q.cluster.nodes = s.nodes;
    if (s.rate) {
      const double seen = samples * evaluator_.epochs(q);
      from = fmt::format("{} samples at {:g} samples/s and node", grouped(seen), s.rate->base());
      return Duration{seen / (s.rate->base() * s.nodes)};
    }
    from = fmt::format("{} on {}, simulated", w.model, count_of(s.nodes, "node"));
    q.samples = samples;
    q.failures.reset();  // happen in the campaign
    if (gangs_) gangs_->place(q);
    StreamJobs& stream = out_.streams.back();
    if (stream.work_high == 1) {  // of several retrainings the first stands for all
      const Estimate time = evaluator_.predict(q).time_to_train;
      stream.work_low = time.low / time.value;
      stream.work_high = time.high / time.value;
    }
    return evaluator_.time_to_train(q);
  }

  void team(const StreamSpec& s) {
    const Duration work = this->work(s, scenario_.data.samples);
    const int days = static_cast<int>(std::ceil(scenario_.campaign->duration / kDay));
    for (int user = 0; user < s.users; ++user) {
      RandomStream random{scenario_.seed, fmt::format("campaign/{}/{}", s.name, user)};
      double owed = 0;
      for (int day = 0; day < days; ++day) {
        // Fractions add up: 0.5 a day is one every other day.
        owed += s.experiments_per_day;
        const int today = static_cast<int>(std::floor(owed + 1e-9));
        owed -= today;
        for (int i = 0; i < today; ++i) {
          const double when = s.regular ? (i + (user + 0.5) / s.users) / today : random.uniform();
          push(s, first_user_ + user, s.at + day * kDay + when * s.hours, work);
        }
      }
    }
    first_user_ += s.users;
  }

  void ensemble(const StreamSpec& s) {
    const Duration work = this->work(s, scenario_.data.samples);
    // Which members go on is drawn beforehand: the scheduler does not know it either way.
    const int kept = static_cast<int>(std::ceil(s.keep * s.members - 1e-9));
    RandomStream random{scenario_.seed, "campaign/" + s.name};
    int still = kept;
    for (int i = 0; i < s.members; ++i) {
      const bool keep =
          random.below(static_cast<std::uint64_t>(s.members - i)) < static_cast<std::uint64_t>(still);
      if (keep) --still;
      push(s, first_user_, s.at, keep ? work : s.stop_after * work);
    }
    ++first_user_;
  }

  void retraining(const StreamSpec& s) {
    const auto growth = scenario_.data.growth();
    if (!growth) fail(s, "retraining needs data that grows", "describe the \"fleet\" in \"data\"");
    const Duration first = s.at > Duration{0} ? s.at : s.every;
    if (scenario_.campaign->duration / s.every > 1e5) fail(s, "more than 100,000 retrainings");
    for (Duration at = first; at < scenario_.campaign->duration; at += s.every) {
      const Bytes usable = std::min(growth_at(*growth, at).usable, scenario_.data.fleet->total());
      const double samples = std::floor(usable / scenario_.data.bytes_per_sample);
      if (samples >= 1) push(s, first_user_, at, work(s, samples));
    }
    out_.streams.back().work_from += "; the data grow";
    ++first_user_;
  }

  void recorded(const StreamSpec& s) {
    std::filesystem::path path = s.file;
    if (path.is_relative()) path = std::filesystem::path{scenario_.file}.parent_path() / path;
    const RecordedWorkload log = read_sacct(read_file(path.string()), path.string());
    StreamJobs& stream = out_.streams.back();
    stream.never_ran = log.never_ran;
    stream.work_from = "recorded";
    std::map<std::string, int> users;
    for (const RecordedJob& r : log.jobs) {
      if (r.nodes > nodes_) {
        ++stream.left_out;
        continue;
      }
      const int user = users.try_emplace(r.user, first_user_ + static_cast<int>(users.size())).first->second;
      const std::size_t before = out_.jobs.size();
      StreamSpec one = s;
      one.nodes = r.nodes;
      push(one, user, s.at + r.submit, r.elapsed);
      if (out_.jobs.size() == before) continue;
      CampaignJob& job = out_.jobs.back();
      job.recorded_wait = r.waited;
      job.limit = std::max(r.elapsed, r.limit.value_or(r.elapsed));
    }
    first_user_ += static_cast<int>(users.size());
  }

  const Scenario& scenario_;
  Evaluator& evaluator_;
  int nodes_;
  const GangSpeed* gangs_;
  std::size_t stream_ = 0;
  int first_user_ = 0;
  CampaignJobs out_;
};

}  // namespace

CampaignJobs campaign_jobs(const Scenario& scenario, Evaluator& evaluator, int nodes,
                           const GangSpeed* gangs) {
  return Builder{scenario, evaluator, nodes, gangs}.build();
}

}  // namespace rackcast

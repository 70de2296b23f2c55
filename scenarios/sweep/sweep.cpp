#include "scenarios/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/sweep/points.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/version.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {

namespace {

/// Points that a thread takes at a time, and that are committed together: neighbours share simulations. Those
/// of a fleet that serves share none and take longer.
constexpr std::uint64_t kBlock = 64, kServiceBlock = 4;
constexpr std::size_t kMostAxes = 16;

std::string values_text(const std::vector<std::string>& values) {
  return nlohmann::json(values).dump();
}

}  // namespace

struct SweepWorker::Impl {
  Impl(const SweepSpec& spec, const Catalog& catalog) : spec_(spec), catalog_(catalog) {
    base_ = load_scenario_text(spec.scenario, spec.sets);
  }

  SweepRow at(std::uint64_t index) {
    SweepRow row;
    row.index = index;
    const auto values = point_values(spec_.axes, index);
    row.values = values_text(values);
    Json text = base_;
    for (std::size_t i = 0; i < values.size(); ++i) {
      text = text.with(spec_.axes[i].path,
                       parse_json_or_string(values[i], "--vary " + spec_.axes[i].path + "=" + values[i]));
    }
    try {
      evaluate_point(text, row);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::infeasible) throw;
      row.feasible = false;
      row.binds = e.message();
    }
    return row;
  }

 private:
  void evaluate_point(const Json& text, SweepRow& row) {
    if (serves(text)) {
      evaluate_service(read_serving_scenario(text, spec_.scenario), catalog_, row);
      return;
    }
    const Scenario scenario = resolve_clusters(read_scenario(text, spec_.scenario), catalog_);
    row.nodes = scenario.cluster.nodes;
    // Clusters and runs are remembered; a fresh memory now and then keeps it small.
    // Own measurements belong to one point: an axis may vary them.
    const bool own = !scenario.calibration.devices.empty() || !scenario.calibration.curves.empty();
    if (used_++ % kBlock == 0 || own)
      evaluator_ = std::make_unique<Evaluator>(catalog_, RunControl{}, scenario.calibration);
    evaluate_training(scenario, *evaluator_, row);
  }

  const SweepSpec& spec_;
  const Catalog& catalog_;
  Json base_;
  std::unique_ptr<Evaluator> evaluator_;
  std::uint64_t used_ = 0;
};

SweepWorker::SweepWorker(const SweepSpec& spec, const Catalog& catalog)
    : impl_(std::make_unique<Impl>(spec, catalog)) {}

SweepWorker::~SweepWorker() = default;

SweepRow SweepWorker::at(std::uint64_t index) {
  return impl_->at(index);
}

namespace {

/// Work of all threads: blocks of points, handed out in order.
class Sweep {
 public:
  Sweep(const SweepSpec& spec, const Catalog& catalog, SweepStore& store)
      : spec_(spec), catalog_(catalog), store_(store), work_(sweep_work(spec, store)) {
    summary_.points = work_.points;
  }

  SweepSummary run() {
    const int threads = spec_.threads > 0 ? spec_.threads : available_threads();
    std::vector<std::unique_ptr<SweepWorker>> workers(static_cast<std::size_t>(threads));
    in_parallel((work_.todo.size() + work_.block - 1) / work_.block, threads,
                [&](std::size_t block, std::size_t slot) {
                  if (stop_) return;
                  if (!workers[slot]) workers[slot] = std::make_unique<SweepWorker>(spec_, catalog_);
                  commit(rows_of(block, *workers[slot]));
                });
    return summary_;
  }

 private:
  /// Of the points of a block, up to an interruption; of a failure too, so that the others end soon.
  std::vector<SweepRow> rows_of(std::size_t block, SweepWorker& worker) {
    std::vector<SweepRow> rows;
    const std::size_t from = block * work_.block,
                      to = std::min<std::size_t>(from + work_.block, work_.todo.size());
    try {
      for (std::size_t i = from; i < to && !stop_; ++i) {
        rows.push_back(worker.at(work_.todo[i]));
        if (spec_.cancelled && spec_.cancelled()) stop_ = true;
      }
    } catch (...) {
      stop_ = true;
      throw;
    }
    return rows;
  }

  void commit(const std::vector<SweepRow>& rows) {
    const std::lock_guard lock{mutex_};
    store_.add(rows);
    summary_.computed += rows.size();
    summary_.cancelled = summary_.computed < work_.todo.size() && stop_;
    if (spec_.progress) spec_.progress(summary_.computed, work_.todo.size());
  }

  const SweepSpec& spec_;
  const Catalog& catalog_;
  SweepStore& store_;
  SweepWork work_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  SweepSummary summary_;
};

std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
  return '"' + text + '"';
}

std::string figure_text(const SweepFigure& figure) {
  if (const auto* number = std::get_if<double>(&figure)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&figure);
  return text ? csv_field(*text) : std::string{};
}

}  // namespace

std::string sweep_question(const SweepSpec& spec) {
  const Json text = load_scenario_text(spec.scenario, spec.sets);
  const bool service = serves(text);
  // Whoever asks what cannot be read learns it here, before the first point.
  (void)(service ? read_serving_scenario(text, spec.scenario) : read_scenario(text, spec.scenario));
  nlohmann::ordered_json out = {{"program", fmt::format("{} {}", version(), commit())},
                                {"columns", service ? service_columns() : training_columns()},
                                {"scenario", plain_json(text)}};
  for (const SweepAxis& axis : spec.axes)
    out["vary"].push_back({{"path", axis.path}, {"values", axis.values}});
  return out.dump();
}

SweepWork sweep_work(const SweepSpec& spec, const SweepStore& store) {
  for (auto axis = spec.axes.begin(); axis != spec.axes.end(); ++axis)
    if (std::find_if(spec.axes.begin(), axis, [&](const SweepAxis& a) { return a.path == axis->path; }) !=
        axis)
      throw Error{fmt::format("--vary {} is there twice", axis->path),
                  {},
                  "give all its values at once: --vary " + axis->path + "=1,2,8",
                  ErrorKind::usage};
  if (spec.axes.empty() || spec.axes.size() > kMostAxes) {
    throw Error{fmt::format("a sweep varies 1 to {} paths", kMostAxes),
                {},
                "--vary cluster.nodes=1..128",
                ErrorKind::usage};
  }
  SweepWork out;
  out.block = serves(load_scenario_text(spec.scenario, spec.sets)) ? kServiceBlock : kBlock;
  const std::uint64_t count = point_count(spec.axes);
  const std::vector<bool> done = store.done(count);
  const auto first = static_cast<std::uint64_t>(spec.shard - 1),
             step = static_cast<std::uint64_t>(spec.shards);
  for (std::uint64_t i = first; i < count; i += step) {
    ++out.points;
    if (!done[i]) out.todo.push_back(i);
  }
  return out;
}

SweepSummary run_sweep(const SweepSpec& spec, const Catalog& catalog, SweepStore& store) {
  return Sweep{spec, catalog, store}.run();
}

std::string sweep_csv(const SweepStore& store) {
  std::string out;
  const Json question = parse_json(store.question(), "the question of the sweep");
  for (const Json& axis : question.require("vary").array())
    out += csv_field(axis.require("path").string()) + ",";
  out += "feasible,nodes,gpus,";
  for (const Json& column : question.require("columns").array()) out += csv_field(column.string()) + ",";
  out += "binds\n";
  for (const SweepRow& row : store.rows()) {
    const Json values = parse_json(row.values, "the values of a point");
    for (const Json& value : values.array()) out += csv_field(value.string()) + ",";
    out += fmt::format("{},{},{},", row.feasible ? 1 : 0, row.nodes, row.gpus);
    for (const SweepFigure& figure : row.figures) out += figure_text(figure) + ",";
    out += csv_field(row.binds) + "\n";
  }
  return out;
}

void read_shard(const std::string& text, SweepSpec& spec) {
  const auto slash = text.find('/');
  const auto whole = [](std::string_view part) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size() ? value : 0;
  };
  const std::string_view all = text;
  const int shard = whole(all.substr(0, slash));
  const int shards = slash == std::string::npos ? 0 : whole(all.substr(slash + 1));
  if (shard < 1 || shards < shard || shards > 100'000) {
    throw Error{fmt::format("--shard \"{}\" does not name a part of the whole", text),
                {},
                "for example --shard 2/8, the second of eight",
                ErrorKind::usage};
  }
  spec.shard = shard;
  spec.shards = shards;
}

std::string slurm_script(const std::string& command, const std::string& database, int shards) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name=rackcast-sweep
#SBATCH --array=1-{0}
#SBATCH --ntasks=1
# Each task computes one part into a file of its own and goes on where it was killed. When all are done:
#   rackcast merge {1} {1}.part-*
set -eu
{2} --db {1}.part-"$SLURM_ARRAY_TASK_ID" --shard "$SLURM_ARRAY_TASK_ID"/{0}
)",
      shards, database, command);
}

}  // namespace rackcast

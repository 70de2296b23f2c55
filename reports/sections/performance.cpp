/// What a step waits for, and what more nodes give.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/drawings/timeline.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/run_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

StackedBar step_bar(const WorkloadResult& workload) {
  const StepBreakdown& step = *workload.step;
  StackedBar bar;
  bar.caption = workload.title + ", one step";
  double sum = 0;
  for (const auto& part : step.parts) {
    sum += part.seconds;
  }
  const double total = step.total_s > 0 ? step.total_s : sum;
  bar.total_text = duration_text(total) + (step.binds.empty() ? "" : ", bound by " + step.binds);
  for (const auto& part : step.parts) {
    const std::string share = total > 0 ? ", " + percent_text(part.seconds / total) : "";
    bar.parts.push_back({part.name, part.seconds, duration_text(part.seconds) + share});
  }
  return bar;
}

/// GPUs per node if it is the same at every point (a lone GPU counts as a point of its own), else nothing.
std::optional<std::int64_t> gpus_per_node(const std::vector<ScalingPoint>& points) {
  std::int64_t per_node = 0;
  for (const ScalingPoint& point : points) {
    if (point.nodes <= 0 || point.gpus % point.nodes != 0) {
      return std::nullopt;
    }
    const std::int64_t here = point.gpus / point.nodes;
    if (per_node != 0 && here != per_node) {
      return std::nullopt;
    }
    per_node = here;
  }
  return per_node > 0 ? std::optional(per_node) : std::nullopt;
}

/// What the curve says of the line of perfect scaling that is drawn beside it, which starts at its first
/// point.
std::string scaling_message(const WorkloadResult& workload, const Chart::Point& first,
                            const Chart::Point& last, const char* unit) {
  const auto size = [unit](const Chart::Point& p) {
    return counted(static_cast<std::int64_t>(p.x), unit);
  };
  return fmt::format("{}: {} of perfect scaling from {} to {}", workload.title,
                     percent_text(first.y * first.x / last.x / last.y), size(first), size(last));
}

/// Time to train over size with its interval, beside perfect scaling from the smallest point and the
/// deadline.
std::optional<Chart> scaling_chart(const WorkloadResult& workload, const ResultDocument& document) {
  const bool by_node = gpus_per_node(workload.scaling).has_value();
  const auto size = [&](const ScalingPoint& p) {
    return static_cast<double>(by_node ? p.nodes : p.gpus);
  };
  std::vector<Chart::Point> points;
  for (const ScalingPoint& p : workload.scaling) {
    if (p.time_to_train && p.time_to_train->low > 0 && size(p) > 0) {
      points.push_back({size(p), p.time_to_train->value, p.time_to_train->low, p.time_to_train->high});
    }
  }
  std::ranges::sort(points, {}, &Chart::Point::x);
  if (points.size() < 2 || points.front().x >= points.back().x) {
    return std::nullopt;
  }
  const double first = points.front().x, last = points.back().x, start = points.front().y;
  const auto flat = [](double x, double y) {
    return Chart::Point{.x = x, .y = y, .low = y, .high = y};
  };
  Chart chart;
  chart.x = {by_node ? "Nodes" : "GPUs", Axis::Kind::count, true};
  chart.y = {"Time to train", Axis::Kind::seconds, true};
  chart.caption = scaling_message(workload, points.front(), points.back(), by_node ? "node" : "GPU");
  chart.lines = {{"Predicted, 90 % interval", points, false},
                 {"Perfect scaling", {flat(first, start), flat(last, start * first / last)}, true}};
  if (!document.premise.adds_up && document.deadline_s && *document.deadline_s > 0) {
    chart.lines.push_back(
        {"Deadline", {flat(first, *document.deadline_s), flat(last, *document.deadline_s)}, true});
  }
  const auto chosen = by_node ? workload.answer.nodes : workload.answer.gpus;
  if (workload.answer.feasible && chosen) {
    chart.marked_x = static_cast<double>(*chosen);
    chart.marked_label = counted(*chosen, by_node ? "node" : "GPU");
  }
  return chart;
}

Table scaling_table(const WorkloadResult& workload) {
  Table table;
  table.caption = workload.title + ": scaling";
  table.columns = {{"Nodes", Align::right},         {"GPUs", Align::right},       {"Samples/s", Align::right},
                   {"Time to train", Align::right}, {"Efficiency", Align::right}, {"Bottleneck"}};
  for (const ScalingPoint& point : workload.scaling) {
    Cell rate = prediction_cell(point.samples_per_s);
    rate.text = point.samples_per_s ? number_text(point.samples_per_s->value) : "";
    const bool chosen = workload.answer.nodes == point.nodes && workload.answer.gpus == point.gpus;
    Cell nodes = count_cell(point.nodes);
    nodes.tone = chosen ? Tone::good : Tone::plain;
    table.rows.push_back({nodes, count_cell(point.gpus), rate, prediction_cell(point.time_to_train),
                          percent_cell(point.efficiency), text_cell(point.binds)});
  }
  return table;
}

/// One sentence for the terminal instead of the table.
std::string scaling_sentence(const WorkloadResult& workload) {
  const ScalingPoint& largest = *std::ranges::max_element(workload.scaling, {}, &ScalingPoint::gpus);
  if (!largest.efficiency) {
    return {};
  }
  const std::string binds = largest.binds.empty() ? "" : ", bound by " + largest.binds;
  const auto &gpus = workload.answer.gpus, &nodes = workload.answer.nodes;
  if (gpus && *gpus > 0 && largest.gpus > *gpus) {  // not those of the answer
    const bool twice = nodes && largest.nodes == 2 * *nodes;
    return fmt::format("On {} {} would keep {} of perfect scaling from one GPU{}.",
                       twice ? fmt::format("twice the nodes ({})", counted(largest.gpus, "GPU"))
                             : counted(largest.gpus, "GPU"),
                       workload.title, percent_text(*largest.efficiency), binds);
  }
  return fmt::format("{} on {} keeps {} of perfect scaling from one GPU{}.", workload.title,
                     counted(largest.gpus, "GPU"), percent_text(*largest.efficiency), binds);
}

Cell flop_cell(std::optional<double> flop) {
  return flop ? Cell{.text = to_text(Flop{*flop}), .value = flop, .unit = "FLOP"} : Cell{};
}

Table facts_table(const ResultDocument& document) {
  Table table;
  // Rounded counts would be wrong ones: 4,096, not 4,100.
  const auto whole_cell = [](std::optional<double> value) {
    const bool whole = value && std::abs(*value) < 1e15 && std::round(*value) == *value;
    return whole ? count_cell(std::llround(*value)) : number_cell(value, "1");
  };
  table.caption = "The workloads";
  table.columns = {{"Workload"},
                   {"Parameters", Align::right},
                   {"Forward per sample", Align::right},
                   {"Samples", Align::right},
                   {"Epochs", Align::right},
                   {"Batch per GPU", Align::right},
                   {"Global batch", Align::right},
                   {"Steps", Align::right},
                   {"Precision"}};
  for (const WorkloadResult& w : document.workloads) {
    table.rows.push_back({text_cell(w.title), number_cell(w.parameters, "1"),
                          flop_cell(w.forward_flop_per_sample), number_cell(w.samples, "1"),
                          number_cell(w.epochs, "1"), whole_cell(w.batch_per_gpu), whole_cell(w.global_batch),
                          number_cell(w.steps, "1"), text_cell(w.precision)});
  }
  return table;
}

/// Of the language models; nothing where there is none.
std::optional<Table> utilisation_table(const ResultDocument& document) {
  Table table;
  table.caption =
      "Language models: tokens per second and shares of the GPUs' peak arithmetic (MFU: what the model "
      "needs; "
      "HFU: with what is computed again)";
  table.columns = {{"Workload"},
                   {"Split over GPUs"},
                   {"Memory per GPU", Align::right},
                   {"Tokens/s", Align::right},
                   {"Tokens/s per GPU", Align::right},
                   {"MFU", Align::right},
                   {"HFU", Align::right}};
  for (const WorkloadResult& w : document.workloads) {
    if (!w.utilisation) continue;
    const auto rate = [](const std::optional<Prediction>& p) {
      Cell cell = prediction_cell(p);
      cell.text = p ? number_text(p->value) : "";
      return cell;
    };
    const auto share = [](const std::optional<Prediction>& p) {
      Cell cell = prediction_cell(p);
      cell.text = p ? percent_text(p->value) : "";
      return cell;
    };
    table.rows.push_back({text_cell(w.title), text_cell(w.parallelism), bytes_cell(w.memory_bytes_per_gpu),
                          rate(w.utilisation->tokens_per_s), rate(w.utilisation->tokens_per_s_per_gpu),
                          share(w.utilisation->mfu), share(w.utilisation->hfu)});
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

/// One sentence for the terminal.
std::string utilisation_sentence(const WorkloadResult& w) {
  const Utilisation& u = *w.utilisation;
  if (!u.tokens_per_s || !u.tokens_per_s_per_gpu) return {};
  std::string out = fmt::format("{}: {} tokens/s, {} per GPU", w.title, number_text(u.tokens_per_s->value),
                                number_text(u.tokens_per_s_per_gpu->value));
  if (u.mfu && u.hfu)
    out += fmt::format("; {} MFU, {} HFU", percent_text(u.mfu->value), percent_text(u.hfu->value));
  if (w.memory_bytes_per_gpu)
    out += fmt::format("; {} of each GPU's memory", to_text(Bytes{*w.memory_bytes_per_gpu}));
  // Near the limit the count alone does not settle it.
  if (constexpr double sure = 0.95; w.memory_fits_odds && *w.memory_fits_odds < sure)
    out += fmt::format(", which is enough with odds of {}", percent_text(*w.memory_fits_odds));
  return out + ".";
}

void add_workload(Blocks& blocks, const WorkloadResult& workload, const ResultDocument& document) {
  if (workload.step && !workload.step->parts.empty()) {
    blocks.push_back({step_bar(workload)});
    blocks.push_back({Paragraph{step_text(*workload.step)}, Audience::document});
    if (workload.timeline && !workload.timeline->path.empty())
      blocks.push_back({Paragraph{path_text(*workload.timeline)}, Audience::document});
    if (auto drawing = timeline_drawing(workload, !document.measured.empty())) {
      blocks.push_back({std::move(*drawing), Audience::document});
    }
  }
  if (workload.utilisation) {
    if (const std::string sentence = utilisation_sentence(workload); !sentence.empty())
      blocks.push_back({Paragraph{sentence}, Audience::terminal});
  }
  if (workload.scaling.empty()) {
    return;
  }
  Table table = scaling_table(workload);
  if (auto chart = scaling_chart(workload, document)) {
    chart->data = std::move(table);
    blocks.push_back({std::move(*chart), Audience::document});
  } else {
    blocks.push_back({std::move(table), Audience::document});
  }
  if (const std::string sentence = scaling_sentence(workload); !sentence.empty()) {
    blocks.push_back({Paragraph{sentence}, Audience::terminal});
  }
}

}  // namespace

bool comes_first(const ResultDocument& document, const WorkloadResult& workload) {
  return document.workloads.size() <= 2 || workload.model == document.answer.workload;
}

Blocks performance_section(const ResultDocument& document) {
  Blocks blocks;
  for (const WorkloadResult& workload : document.workloads) {
    Blocks own;
    add_workload(own, workload, document);
    if (own.empty()) continue;
    own.insert(own.begin(), {Subheading{workload.title}, Audience::document});
    for (Block& block : own)
      block.detail = block.audience == Audience::document && !comes_first(document, workload);
    std::ranges::move(own, std::back_inserter(blocks));
  }
  if (auto table = utilisation_table(document)) {
    blocks.insert(blocks.begin(), {std::move(*table), Audience::document});
  }
  if (!blocks.empty()) {
    blocks.insert(blocks.begin(), {facts_table(document), Audience::document, true});
  }
  return blocks;
}

}  // namespace rackcast::reports

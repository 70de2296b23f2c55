/// How the samples come to the GPUs: what each stage passes, what the caches serve, what is written back.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/run_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

Cell bandwidth_cell(std::optional<double> value) {
  return value ? Cell{to_text(Bandwidth{*value}), value, "B/s"} : Cell{};
}

std::string bytes_text(std::optional<double> value) {
  return value ? to_text(Bytes{*value}) : "unknown";
}

/// "epoch 1", "epochs 2 to 90"; fractions of an epoch count as one.
std::string epochs_name(const InputPath::Epochs& e) {
  const double first = e.after + 1, last = std::max(first, e.after + e.epochs);
  return last < first + 0.5 ? fmt::format("epoch {:.0f}", first)
                            : fmt::format("epochs {:.0f} to {:.0f}", first, last);
}

/// Where the samples of these epochs come from.
StackedBar source_bar(const WorkloadResult& w, const InputPath::Epochs& e) {
  StackedBar bar;
  bar.caption = w.title + ", " + epochs_name(e) + ": where samples come from";
  bar.total_text = e.read_bytes_per_s ? to_text(Bandwidth{*e.read_bytes_per_s}) + " from storage" : "";
  for (const auto& [name, share] : {std::pair{"page cache", e.page_cache},
                                    std::pair{"local SSD", e.ssd_cache}, std::pair{"storage", e.storage}}) {
    if (share > 0) {
      bar.parts.push_back({name, share, percent_text(share)});
    }
  }
  return bar;
}

Table funnel_table(const WorkloadResult& w) {
  Table table;
  table.caption = w.title + ": samples/s that each stage could pass, cold";
  table.columns = {{"Stage"}, {"Samples/s", Align::right}, {"Of the bottleneck", Align::right}};
  const auto& stages = w.input->funnel;
  const auto narrowest = std::ranges::min_element(stages, {}, &InputPath::Stage::samples_per_s);
  for (const auto& stage : stages) {
    Cell name = text_cell(stage.name);
    const bool binds = &stage == &*narrowest;
    name.tone = binds ? Tone::caution : Tone::plain;
    const double ratio = narrowest->samples_per_s > 0 ? stage.samples_per_s / narrowest->samples_per_s : 0;
    table.rows.push_back(
        {name, with_interval(number_cell(stage.samples_per_s, "1/s"), stage.low, stage.high, number_text),
         binds ? text_cell("bottleneck") : Cell{number_text(ratio) + " x", ratio, "1"}});
  }
  return table;
}

/// The stages in order, each with what it could pass; the slowest one is the bottleneck.
BarChart funnel_chart(const WorkloadResult& w) {
  const auto& stages = w.input->funnel;
  const auto narrowest = std::ranges::min_element(stages, {}, &InputPath::Stage::samples_per_s);
  BarChart chart;
  chart.caption = fmt::format("{}: the bottleneck is {}, with {} samples/s", w.title, narrowest->name,
                              number_text(narrowest->samples_per_s));
  chart.axis = {"Samples", Axis::Kind::per_second,
                std::ranges::all_of(stages, [](const auto& s) { return s.samples_per_s > 0; })};
  for (const auto& stage : stages) {
    const bool binds = &stage == &*narrowest;
    chart.bars.push_back({.label = stage.name,
                          .value = stage.samples_per_s,
                          .text = number_text(stage.samples_per_s) + "/s" + (binds ? ", bottleneck" : ""),
                          .low = stage.low,
                          .high = stage.high,
                          .tone = binds ? Tone::caution : Tone::plain});
  }
  chart.data = funnel_table(w);
  const bool known = std::ranges::any_of(stages, [](const auto& s) { return s.low && s.high; });
  chart.about_interval =
      known ? "90 % intervals: of storage and cores how well their rates are known, of the GPUs the fits of "
              "kernels and collectives; a stage without one passes its listed rate."
            : "Without intervals: this result was written without them.";
  return chart;
}

Table epoch_table(const WorkloadResult& w) {
  Table table;
  table.caption = w.title + ": epoch by epoch";
  table.columns = {{"Epochs"},
                   {"From page cache", Align::right},
                   {"From local SSD", Align::right},
                   {"From storage", Align::right},
                   {"Storage read", Align::right},
                   {"Samples/s", Align::right},
                   {"Binds"}};
  for (const auto& e : w.input->epochs) {
    table.rows.push_back({text_cell(epochs_name(e)), percent_cell(e.page_cache), percent_cell(e.ssd_cache),
                          percent_cell(e.storage), bandwidth_cell(e.read_bytes_per_s),
                          number_cell(e.samples_per_s, "1/s"), text_cell(e.binds)});
  }
  return table;
}

std::string cache_sentence(const InputPath& in) {
  const std::string ssd = in.ssd_cache_bytes.value_or(0) > 0
                              ? " and " + bytes_text(in.ssd_cache_bytes) + " of local SSD cache"
                              : "";
  return fmt::format("A node reads from a set of {}; it has {} of page cache{}.",
                     bytes_text(in.working_set_bytes), bytes_text(in.page_cache_bytes), ssd);
}

std::string write_sentence(const InputPath::WriteBack& w) {
  std::string text;
  if (w.checkpoint_bytes.value_or(0) > 0) {
    const std::string parts =
        w.writers.value_or(1) > 1
            ? fmt::format(", of which {:.0f} nodes write a part each and the busiest {},", *w.writers,
                          bytes_text(w.busiest_bytes))
            : "";
    const std::string effect =
        w.stall_s.value_or(0) > 0
            ? fmt::format("training stands still for {} of it and takes {} longer", duration_text(*w.stall_s),
                          percent_text(w.time_factor.value_or(1) - 1))
            : "training goes on meanwhile";
    text = fmt::format("A checkpoint of {}{} takes {} to write; {}. ", bytes_text(w.checkpoint_bytes), parts,
                       duration_text(w.write_s.value_or(0)), effect);
  }
  return text + fmt::format("Checkpoints and logs write {} on average.",
                            to_text(Bandwidth{w.bytes_per_s.value_or(0)}));
}

void add_workload(Blocks& blocks, const WorkloadResult& w) {
  const InputPath& in = *w.input;
  blocks.push_back({Subheading{w.title}, Audience::document});
  if (!in.funnel.empty()) blocks.push_back({Paragraph{input_text(in)}, Audience::document});
  for (const auto& e : in.epochs) {
    StackedBar bar = source_bar(w, e);
    if (bar.parts.size() > 1) blocks.push_back({std::move(bar), Audience::document});
  }
  if (!in.funnel.empty()) {
    blocks.push_back({funnel_chart(w), Audience::document});
  }
  if (!in.epochs.empty()) {
    blocks.push_back({epoch_table(w), Audience::document});
  }
  blocks.push_back({Paragraph{cache_sentence(in)}, Audience::document});
  if (in.write_back) {
    blocks.push_back({Paragraph{write_sentence(*in.write_back)}, Audience::document});
  }
}

}  // namespace

Blocks input_pipeline_section(const ResultDocument& document) {
  Blocks blocks;
  for (const WorkloadResult& w : document.workloads) {
    if (w.input) {
      add_workload(blocks, w);
    }
  }
  return blocks;
}

}  // namespace rackcast::reports

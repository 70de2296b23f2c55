/// How predictions of the nearest measured systems have turned out.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

using Run = Evidence::Run;

bool inside(const Run& run) {
  return run.speed_ratio.low <= 1 && 1 <= run.speed_ratio.high;
}

std::string ratio_text(const Prediction& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.value, ratio.low, ratio.high);
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : ", ") + word;
  }
  return all;
}

/// "resnet50, pytorch 1.4, mixed, 64 per GPU, real data".
std::string training_of(const Run& run) {
  std::string text = run.model;
  const auto add = [&text](const std::string& part) {
    text += part.empty() ? "" : ", " + part;
  };
  add(run.framework + (run.framework_version.empty() ? "" : " " + run.framework_version));
  add(run.precision);
  add(run.batch_per_gpu ? number_text(*run.batch_per_gpu) + " per GPU" : "");
  add(run.data.empty() ? "" : run.data + " data");
  return text;
}

std::string comparison_of(const Run& run) {
  const std::string same = joined_words(run.same), other = joined_words(run.differs);
  return (same.empty() ? "" : "same " + same + (other.empty() ? "" : "; ")) + other;
}

/// "5 of 6 measurements lie within the 90 % interval".
std::string covered_text(const std::vector<Run>& runs) {
  return fmt::format("{} of {} measurements lie within the 90 % interval",
                     std::ranges::count_if(runs, inside), runs.size());
}

/// "... (25 of 26 like it in their interval)", where there are near repeats.
std::string source_of(const Run& run) {
  if (run.like < 2) {
    return run.source;
  }
  return fmt::format("{} ({} of {} such figures within their interval)", run.source, run.covered, run.like);
}

Table evidence_table(const WorkloadResult& workload, const std::vector<Run>& runs) {
  Table table;
  table.caption = workload.title + ": the nearest measured trainings";
  table.columns = {{"System and training"},      {"Measured", Align::right},
                   {"Predicted", Align::right},  {"Predicted / measured speed, 90 % interval", Align::right},
                   {"Compared with the answer"}, {"Source"}};
  for (const Run& run : runs) {
    const std::string& unit = run.predicted.unit;
    const Cell measured{.text = number_text(run.measured) + " " + unit, .value = run.measured, .unit = unit};
    Cell ratio{.text = ratio_text(run.speed_ratio), .value = run.speed_ratio.value, .unit = "1"};
    ratio.tone = inside(run) ? Tone::plain : Tone::caution;
    ratio.low = run.speed_ratio.low;
    ratio.high = run.speed_ratio.high;
    // Its interval is that of the ratio; on paper the words need the room.
    Cell predicted{.text = number_text(run.predicted.value), .value = run.predicted.value, .unit = unit};
    predicted.low = run.predicted.low;
    predicted.high = run.predicted.high;
    const std::string system = run.system + (run.system_assumed ? " (partly inferred)" : "");
    table.rows.push_back({text_cell(system + ": " + training_of(run)), measured, predicted, ratio,
                          text_cell(comparison_of(run)), text_cell(source_of(run))});
  }
  return table;
}

/// "64 × V100 SXM2 16 GB": who makes it and in how many nodes stands in the table.
std::string short_system(const std::string& system) {
  std::string name = system.substr(0, system.find(" in "));
  for (const std::string_view word : {"NVIDIA ", "Tesla "}) {
    if (const auto at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  }
  return name;
}

BarChart evidence_chart(const WorkloadResult& workload, const std::vector<Run>& runs) {
  BarChart chart;
  chart.caption = fmt::format("{}: predicted over measured speed of the {} nearest measured trainings; {}",
                              workload.title, runs.size(), covered_text(runs));
  chart.axis = {"Predicted / measured speed", Axis::Kind::count, true};
  for (const Run& run : runs) {
    chart.bars.push_back({run.model + ", " + run.framework + ", " + short_system(run.system),
                          run.speed_ratio.value, ratio_text(run.speed_ratio), run.speed_ratio.low,
                          run.speed_ratio.high, inside(run) ? Tone::good : Tone::caution});
  }
  chart.limits = {{"as measured", 1}};
  return chart;
}

std::string tally_text(const char* where, const Evidence::Tally& tally) {
  return fmt::format("{} {} ({}), off by {} in the median, {} of the figures within the 90 % interval",
                     count_text(tally.rows), where, counted(tally.cases, "figure"),
                     percent_text(tally.median_error),
                     percent_text(static_cast<double>(tally.covered) / static_cast<double>(tally.cases)));
}

/// How much is known of this GPU at all.
std::string known_text(const Evidence& evidence) {
  std::string text = "Benchmarks held out from the fit: " + tally_text("in all", evidence.all);
  if (evidence.same_architecture.rows > 0) {
    text += "; " + tally_text("on this GPU's architecture", evidence.same_architecture);
  }
  if (evidence.same_gpu.rows > 0) {
    text += "; " + tally_text("on this very GPU", evidence.same_gpu);
  }
  return text +
         ". The nearest are chosen by GPU, network, number of GPUs, precision, software and network rate, "
         "however "
         "well they were predicted.";
}

/// How all measured runs have turned out; the same for every workload of an answer.
Blocks evidence_remarks(const ResultDocument& document) {
  for (const WorkloadResult& workload : document.workloads) {
    if (workload.evidence && workload.evidence->all.cases > 0) {
      return {{Paragraph{known_text(*workload.evidence)}, Audience::document}};
    }
  }
  return {};
}

/// Of one workload.
Blocks evidence_blocks(const WorkloadResult& workload) {
  if (!workload.evidence || workload.evidence->nearest.empty()) {
    return {};
  }
  const Evidence& evidence = *workload.evidence;
  const auto& runs = evidence.nearest;
  const auto [least, most] =
      std::ranges::minmax(runs, {}, [](const Run& run) { return run.speed_ratio.value; });
  Blocks blocks{
      {Paragraph{fmt::format(
           "Of the {} nearest measured trainings the model predicted {:.2f} to {:.2f} of the speed; {}.",
           runs.size(), least.speed_ratio.value, most.speed_ratio.value, covered_text(runs))},
       Audience::terminal},
      {evidence_chart(workload, runs), Audience::document},
      {evidence_table(workload, runs), Audience::document}};
  if (evidence.same_architecture.rows == 0) {
    blocks.push_back(
        {Note{Tone::caution, "Not validated on this GPU",
              "No measured training on a GPU of this architecture is among them; the nearest ran on "
              "others."}});
  }
  return blocks;
}

}  // namespace

Blocks evidence_section(const ResultDocument& document) {
  Blocks blocks;
  for (const WorkloadResult& workload : document.workloads) {
    Blocks own = evidence_blocks(workload);
    if (own.empty()) continue;
    if (document.workloads.size() > 1) blocks.push_back({Subheading{workload.title}});
    std::ranges::move(own, std::back_inserter(blocks));
  }
  std::ranges::move(evidence_remarks(document), std::back_inserter(blocks));
  return blocks;
}

}  // namespace rackcast::reports

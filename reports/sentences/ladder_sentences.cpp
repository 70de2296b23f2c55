/// The rungs from data to nodes: what each is, and how it follows from those above it.
#include <fmt/format.h>

#include <cmath>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

using doc::Reason;

std::string data_set(const Reason&) {
  return "Data set";
}
std::string data_size(const Reason& r) {
  return to_text(Bytes{r.number("data_bytes")});
}

std::string fleet_text(const Reason& r) {
  return fmt::format("{:g} vehicles x {:g} TB/h x {:g} h x {:g} days x {:g} kept", r.number("vehicles"),
                     r.number("each_bytes_per_s") * 3600 / 1e12, r.number("recorded_s") / 3600,
                     r.number("days"), r.number("kept"));
}

std::string learning_text(const Reason& r) {
  return fmt::format(
      "an error of {:g} on the learning curve {:.3g} x samples^-{:.3g} + {:.3g}, {:.3g} times the largest "
      "point",
      r.number("error"), r.number("a"), r.number("b"), r.number("c"), r.number("beyond"));
}

std::string law_text(const Reason& r) {
  std::string text =
      fmt::format("x (1 + {:.0f}/{:g}) / (1 + {:g}/{:g})", r.number("batch"), r.number("critical_batch"),
                  r.number("reference_batch"), r.number("critical_batch"));
  if (r.has("staleness_penalty"))
    text += fmt::format(" x (1 + {:g} x {:g} stale)", r.number("staleness_penalty"), r.number("stale_steps"));
  return text + "; the weakest link of the ladder, confidence low";
}

std::string one_gpu_text(const Reason& r) {
  const double rate = r.number("rate_per_s");
  return fmt::format("{} samples/s, simulated on one GPU of the node, input path included{}{}",
                     rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate),
                     r.number("split") > 0 ? "; as if its memory held the whole network" : "",
                     r.has("epochs") ? fmt::format("; {:.4g} epochs at its batch", r.number("epochs")) : "");
}

/// "5,280" or "1.5".
std::string plain_number(double value) {
  return value == std::floor(value) ? grouped(value) : fmt::format("{:g}", value);
}

std::string origin_of_batch(const Reason& r) {
  const double passes = r.number("passes");
  std::string out;
  if (r.has("replicas")) {
    out = fmt::format("{} micro-batches of {} on each of {} replicas", r.number("micro_batches"),
                      r.number("micro_batch"), r.number("replicas"));
  } else {
    out = fmt::format("{} per GPU x {} GPUs", plain_number(r.number("per_gpu")), grouped(r.number("gpus")));
    if (passes > 1) out += fmt::format(", {:g} passes added up", passes);
  }
  if (r.number("fixed") > 0)
    out += "; the same on any number of GPUs (global_batch)";
  else if (r.has("times_of_one"))
    out += fmt::format("; it grows with the GPUs, {} times the batch of one {}",
                       plain_number(std::round(r.number("times_of_one") * 100) / 100),
                       r.has("replicas") ? "GPU's share" : "GPU");
  return out + (r.has("largest_useful")
                    ? "; the largest useful batch is " +
                          batch_text(r.number("largest_useful"), r.number_if("largest_useful_tokens"))
                    : "; the largest useful batch is not known (critical_batch)");
}

std::string nodes_text(const Reason& r) {
  const auto spares = std::llround(r.number("spares"));
  return spares > 0 ? fmt::format("{:g} + {}", r.number("nodes"), counted(spares, "spare"))
                    : counted(r, "nodes", "node");
}

std::string count_of_nodes_text(const Reason& r) {
  const std::string& how = r.text("how");
  const std::string within = r.has("deadline_s") ? to_text(Duration{r.number("deadline_s")}) : "";
  if (how == "none") return "no count keeps every limit; the figures are those of this one";
  if (how == "choice")
    return fmt::format("the choice of the search within {}: {}", within, r.text("objective"));
  if (how == "all")
    return fmt::format("smallest count that does all workloads, one after another, within {}", within);
  return how == "least" ? "smallest count within " + within : "given by the scenario";
}

constexpr RowSentence rows[] = {
    {"data_given", data_set, data_size,
     [](const Reason&) -> std::string {
       return "given by the scenario";
     }},
    {"data_of_fleet", data_set, data_size, fleet_text},
    {"data_by_date", data_set, data_size,
     [](const Reason& r) {
       return fmt::format("usable {} after the first recording day", to_text(Duration{r.number("after_s")}));
     }},
    {"data_of_learning", data_set, data_size, learning_text},
    {"samples", [](const Reason&) -> std::string { return "Samples"; },
     [](const Reason& r) { return grouped(r.number("samples")); },
     [](const Reason& r) {
       return fmt::format("{} / {} per sample", data_size(r), to_text(Bytes{r.number("sample_bytes")}));
     }},
    {"epochs_asked", [](const Reason&) -> std::string { return "Epochs asked"; },
     [](const Reason& r) { return fmt::format("{:g}", r.number("epochs")); },
     [](const Reason& r) {
       return "at a global batch of " + grouped(r.number("reference_batch"));
     }},
    {"epochs_after_law", [](const Reason&) -> std::string { return "Epochs after the law"; },
     [](const Reason& r) { return fmt::format("{:.4g}", r.number("epochs")); }, law_text},
    {"samples_seen", [](const Reason&) -> std::string { return "Samples seen"; },
     [](const Reason& r) { return grouped(r.number("samples")); },
     [](const Reason& r) {
       return fmt::format("{:g} epoch{}", r.number("epochs"), r.number("epochs") == 1 ? "" : "s");
     }},
    {"arithmetic", [](const Reason&) -> std::string { return "Arithmetic"; },
     [](const Reason& r) { return to_text(Flop{r.number("work_flop")}); },
     [](const Reason& r) {
       return fmt::format("3 x {} forward per sample: forward, data gradient, weight gradient",
                          to_text(Flop{r.number("forward_flop")}));
     }},
    {"time_on_one_gpu", [](const Reason&) -> std::string { return "Time on one GPU"; },
     [](const Reason& r) { return to_text(Duration{r.number("time_s")}); }, one_gpu_text},
    {"batch", [](const Reason&) -> std::string { return "Global batch"; },
     [](const Reason& r) { return batch_text(r); }, origin_of_batch},
    {"steps", [](const Reason&) -> std::string { return "Optimizer steps"; },
     [](const Reason& r) { return grouped(r.number("steps")); },
     [](const Reason& r) {
       return fmt::format("{} samples seen / {} in a step", grouped(r.number("samples")),
                          grouped(r.number("batch")));
     }},
    {"time_to_train", [](const Reason&) -> std::string { return "Time to train"; },
     [](const Reason& r) { return to_text(Duration{r.number("time_s")}); },
     [](const Reason& r) {
       return fmt::format("{} steps x {}", grouped(r.number("steps")), to_text(Duration{r.number("step_s")}));
     }},
    {"time_of_all", [](const Reason&) -> std::string { return "Time of all workloads"; },
     [](const Reason& r) { return to_text(Duration{r.number("time_s")}); },
     [](const Reason& r) {
       return fmt::format("the {:g} workloads one after another", r.number("workloads"));
     }},
    {"nodes", [](const Reason&) -> std::string { return "Nodes"; }, nodes_text, count_of_nodes_text},
};

}  // namespace

std::span<const RowSentence> ladder_rows() {
  return rows;
}

std::string batch_text(double samples, std::optional<double> tokens) {
  return fmt::format("{} samples{}", grouped(samples),
                     tokens ? fmt::format(" ({} tokens)", grouped(*tokens)) : "");
}

std::string batch_text(const Reason& batch) {
  return batch_text(batch.number("samples"), batch.number_if("tokens"));
}

}  // namespace rackcast::reports

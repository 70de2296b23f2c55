/// Why a training or a site does not keep a limit.
#include <fmt/format.h>

#include "reports/sentences/reason_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {

namespace {

using doc::Reason;

std::string bytes_of(const Reason& r, std::string_view key) {
  return to_text(Bytes{r.number(key)});
}

std::string at_least(const Reason& r) {
  return r.has("missing") ? "at least " : "";
}

std::string at_least_first(const Reason& r) {
  return r.has("missing") ? "At least " : "";
}

constexpr ReasonSentence of_limits[] = {
    {"memory_of_batch",
     [](const Reason& r) -> std::string {
       const double fits = r.number("fits");
       return fmt::format("A batch of {:.0f} samples of {} needs {} of GPU memory; {} has {}. {}{}",
                          r.number("batch"), r.text("workload"), bytes_of(r, "needed_bytes"), r.text("gpu"),
                          bytes_of(r, "memory_bytes"),
                          fits >= 1 ? fmt::format("At most {:.0f} samples fit.", fits)
                                    : std::string{"Not even one sample fits."},
                          also(r));
     }},
    {"memory_of_tables",
     [](const Reason& r) -> std::string {
       return fmt::format("Its tables take {}, {} on each of {:.0f} GPUs; {}.", bytes_of(r, "tables_bytes"),
                          bytes_of(r, "each_bytes"), r.number("gpus"),
                          r.has("least_gpus")
                              ? fmt::format("they need at least {:.0f} GPUs", r.number("least_gpus"))
                              : std::string{"no number of GPUs is enough, as the rest alone does not fit"});
     }},
    {"memory_of_split",
     [](const Reason& r) -> std::string {
       const std::string out = fmt::format(
           "{}, {}, ZeRO stage {}, needs {} of each GPU's memory: {} of weights, {} of gradients, {} of "
           "optimizer "
           "state, {} of activations of micro-batches of {}; {} has {}. ",
           r.text("workload"), r.text("split"), r.number("zero_stage"), bytes_of(r, "needed_bytes"),
           bytes_of(r, "weights_bytes"), bytes_of(r, "gradients_bytes"), bytes_of(r, "optimizer_bytes"),
           bytes_of(r, "activations_bytes"), r.number("micro_batch"), r.text("gpu"),
           bytes_of(r, "memory_bytes"));
       if (r.number("zero_stage") == 0) return out + "Without ZeRO more nodes hold no more.";
       if (!r.has("least_gpus"))
         return out + "No number of GPUs is enough: what ZeRO leaves whole does not fit.";
       return out + fmt::format("The states sharded over the replicas fit from {:.0f} GPUs on.",
                                r.number("least_gpus"));
     }},
    {"memory_of_any_split",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "None of {} splits of {} over {} GPUs fits: the one that needs least, {}, needs {} of each "
           "GPU's memory; {} has {}. More nodes or another GPU hold it.",
           grouped(r.number("splits")), r.text("workload"), grouped(r.number("gpus")), r.text("split"),
           bytes_of(r, "needed_bytes"), r.text("gpu"), bytes_of(r, "memory_bytes"));
     }},
    {"no_multiple",
     [](const Reason& r) -> std::string {
       return fmt::format("{} GPUs are no multiple of {}, which {} of {} takes.", r.number("gpus"),
                          r.number("unit"), r.text("split"), r.text("workload"));
     }},
    {"spares_past_most",
     [](const Reason& r) -> std::string {
       return fmt::format("{} and {} are more than {} (goal.max_nodes).", counted(r, "nodes", "node"),
                          counted(r, "spares", "spare"), r.number("max_nodes"));
     }},
    {"job_past_most",
     [](const Reason& r) -> std::string {
       return fmt::format("A job of {} GPUs takes {}; the search stops at {} (goal.max_nodes).",
                          r.number("gpus"), counted(r, "nodes", "node"), r.number("max_nodes"));
     }},
    {"split_past_most",
     [](const Reason& r) -> std::string {
       return fmt::format("{}, whole nodes from {} on; the search stops at {} (goal.max_nodes).",
                          parts_text(r, "; "), counted(r, "nodes", "node"), r.number("max_nodes"));
     }},
    {"split_takes",
     [](const Reason& r) -> std::string {
       return fmt::format("{} of {} takes {} GPUs", r.text("split"), r.text("workload"), r.number("gpus"));
     }},
    {"uneven_batch",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "No number of nodes up to {} deals the global batch of {} out evenly over its GPUs; a multiple of "
           "{} "
           "does.",
           r.number("max_nodes"), parts_text(r, " and "), r.number("unit"));
     }},
    {"workload",
     [](const Reason& r) -> std::string {
       return r.text("title");
     }},
    {"no_common_count",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "No number of nodes from {} to {} takes the splits and global batches of all workloads.",
           r.number("nodes"), r.number("max_nodes"));
     }},
    {"past_useful_batch",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{} x {} take {:.0f} samples of {} in a step; beyond {:.0f} samples (critical_batch) more do not "
           "train "
           "faster. A smaller batch_per_gpu allows more GPUs.",
           r.number("nodes"), r.text("node"), r.number("batch"), r.text("workload"), r.number("useful"));
     }},
    {"stands_still",
     [](const Reason& r) -> std::string {
       return fmt::format("Training on {} x {} moves forward {:.4g} % of the time; {:.4g} % is asked.",
                          r.number("nodes"), r.text("node"), 100 * r.number("kept"), 100 * r.number("asked"));
     }},
    {"precision",
     [](const Reason& r) -> std::string {
       return fmt::format("{}; {}.", r.text("message"), r.text("hint"));
     }},
    {"data_past_storage",
     [](const Reason& r) -> std::string {
       return fmt::format("The data set ({}) does not fit the storage: {} x {} hold {}.",
                          bytes_of(r, "data_bytes"), r.number("count"), r.text("array"),
                          bytes_of(r, "capacity_bytes"));
     }},
    {"deadline",
     [](const Reason& r) -> std::string {
       const Duration allowed{r.number("deadline_s")}, time{r.number("time_s")};
       const std::string none =
           fmt::format("None of {} to {} nodes meets the deadline of {}: ", r.number("least_nodes"),
                       r.number("max_nodes"), to_text(allowed));
       const std::string takes =
           fmt::format("{} {}", r.number("nodes") == 1 ? "takes" : "take", told_apart(time, allowed));
       if (!r.has("passes_s"))
         return fmt::format("{}the fastest, {}, {}, bound by {}.", none, counted(r, "nodes", "node"), takes,
                            r.text("binds"));
       return fmt::format(
           "{}the forward and backward passes alone take {} on the most nodes. {} {}, bound by {}; more "
           "nodes "
           "gain little.",
           none, told_apart(Duration{r.number("passes_s")}, allowed), counted(r, "nodes", "node"), takes,
           r.text("binds"));
     }},
    {"search_ends",
     [](const Reason& r) -> std::string {
       const std::string spares =
           r.number("spares") > 0 ? fmt::format(", {} among them", counted(r, "spares", "spare")) : "";
       return fmt::format("The search stops at {} nodes (goal.max_nodes){}.", r.number("max_nodes"), spares);
     }},
    {"without_slow_nodes",
     [](const Reason& r) -> std::string {
       return fmt::format("Without slow nodes it takes {}, {:.1f} % less.",
                          to_text(Duration{r.number("time_s")}),
                          100 * (1 - r.number("time_s") / r.number("now_s")));
     }},
    {"misfit",
     [](const Reason& r) -> std::string {
       return fmt::format("No rack takes it: {}.", r.text("why"));
     }},
    {"undecided",
     [](const Reason& r) -> std::string {
       return fmt::format("Whether {} is enough cannot be decided without {}.", r.text("allowed"),
                          r.text("missing"));
     }},
    {"rack_units",
     [](const Reason& r) -> std::string {
       return fmt::format("The equipment takes {}{:g} rack units; the site has {}.", at_least(r),
                          r.number("units"), r.number("allowed"));
     }},
    {"racks",
     [](const Reason& r) -> std::string {
       return fmt::format("The equipment fills {}{} (no packing takes fewer than {}); the site has {}.",
                          at_least(r), counted(r, "racks", "rack"), r.number("lower_bound"),
                          r.number("allowed"));
     }},
    {"floor_area",
     [](const Reason& r) -> std::string {
       const Area needed{r.number("needed_m2")}, allowed{r.number("allowed_m2")};
       return fmt::format("{}{} racks of {} each, aisles included, take {}; the site has {}.",
                          at_least_first(r), r.number("racks"), to_text(Area{r.number("rack_m2")}),
                          told_apart(needed, allowed), to_text(allowed));
     }},
    {"feed",
     [](const Reason& r) -> std::string {
       const Power needed{r.number("needed_w")}, usable{r.number("usable_w")};
       return fmt::format(
           "{}{} of IT ({}) with a PUE of {:.3g} draw {}; {} {}.", at_least_first(r),
           to_text(Power{r.number("it_w")}), r.text("basis"), r.number("pue"), told_apart(needed, usable),
           r.number("redundant") != 0 ? "what the feed carries with a part of it failed is" : "the feed is",
           to_text(usable));
     }},
    {"money",
     [](const Reason& r) -> std::string {
       const std::string& limit = r.text("limit");
       const Money needed{r.number("needed_usd")}, allowed{r.number("allowed_usd")};
       return fmt::format("{} {}{} at prices of {}; {} is {}.",
                          limit == "budget"        ? "The equipment costs"
                          : limit == "opex_budget" ? "A year of operation costs"
                                                   : "Buying it and running it until it is written off costs",
                          at_least(r), told_apart(needed, allowed), r.text("date"),
                          limit == "budget" ? "the budget" : "the budget for it", to_text(allowed));
     }},
};

}  // namespace

std::span<const ReasonSentence> limit_sentences() {
  return of_limits;
}

}  // namespace rackcast::reports

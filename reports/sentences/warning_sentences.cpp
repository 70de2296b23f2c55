/// What a reader of a result has to know before believing it, and what it leaves out.
#include <fmt/format.h>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

using doc::Reason;

constexpr ReasonSentence of_warnings[] = {
    {"no_staff",
     [](const Reason&) -> std::string {
       return "staff: none asked for (site.prices.staff)";
     }},
    {"no_instance",
     [](const Reason& r) -> std::string {
       return "renting: " + no_rent_text(r);
     }},
    {"no_rent_yet",
     [](const Reason& r) -> std::string {
       return "renting: " + no_rent_text(r);
     }},
    {"row_without_price",
     [](const Reason& r) -> std::string {
       return fmt::format("{:g} x {}: {}", r.number("quantity"), r.text("item"), r.text("note"));
     }},
    {"without_power",
     [](const Reason& r) -> std::string {
       return fmt::format("energy and space of {}: its power is not known", r.text("item"));
     }},
    {"without_units",
     [](const Reason& r) -> std::string {
       return fmt::format("racks of {}: its rack units are not known", r.text("item"));
     }},
    {"unrated",
     [](const Reason& r) -> std::string {
       return unrated_text(r.text("node"), r.number("others_w"));
     }},
    {"no_power_model",
     [](const Reason& r) -> std::string {
       return "No power is given: " + r.text("message") + ".";
     }},
    {"no_cost_model",
     [](const Reason& r) -> std::string {
       return "No cost is given: " + r.text("message") + ".";
     }},
    {"no_price_date",
     [](const Reason&) -> std::string {
       return "No cost is given: the scenario names no date for prices (\"site\": {\"prices\": "
              "{\"date\": ...}}).";
     }},
    {"no_node_held",
     [](const Reason&) -> std::string {
       return "No cost is given: no job held a node after the warm-up.";
     }},
    {"nothing_drawn",
     [](const Reason&) -> std::string {
       return "every job is stated or recorded, and nothing fails";
     }},
    {"too_many_jobs",
     [](const Reason& r) -> std::string {
       return fmt::format("{} jobs are too many to be drawn {} times", grouped(r.number("jobs")),
                          r.number("draws"));
     }},
    {"drawn_too_rarely",
     [](const Reason&) -> std::string {
       return "a limit ended the run before the campaign had been drawn often enough";
     }},
    {"other_gpu_measured",
     [](const Reason& r) -> std::string {
       return fmt::format("{}: measured on {}, so it says nothing of {}", r.text("file"), r.text("measured"),
                          r.text("gpu"));
     }},
    {"assumed_wiring",
     [](const Reason& r) -> std::string {
       return r.text("text");
     }},
    {"part_of_sample",
     [](const Reason& r) -> std::string {
       return r.text("workload") +
              ": a GPU has a part of a sample. What the GPUs of a sample tell each other has no model.";
     }},
    {"borrowed_kernels",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{}: no {} kernel in this precision was measured on its architecture; its efficiencies are those "
           "of "
           "{}, with a wider interval.",
           r.text("gpu"), r.text("family"), r.text("donor"));
     }},
    {"convergence_law",
     [](const Reason& r) -> std::string {
       return r.text("workload") +
              ": weakest link: convergence law. The epochs follow the batch by a published law with one "
              "critical "
              "batch, which differs by network, data and optimizer and grows during training; confidence "
              "low.";
     }},
    {"stale_gradients",
     [](const Reason& r) -> std::string {
       return r.text("workload") +
              ": gradients are stale, and what that costs in epochs is left out: no published figure holds "
              "for "
              "every network (staleness_penalty).";
     }},
    {"unknown_framework",
     [](const Reason& r) -> std::string {
       const std::string profile = r.has("profile") ? r.text("profile") : "A framework without a profile";
       return fmt::format(
           "No framework is known as \"{}\": its overheads are those of the profile \"{}\". "
           "`rackcast catalog list frameworks` names the known ones.",
           r.text("framework"), profile);
     }},
    {"assumed_cores",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{}: the number of its CPU cores is not known; {:.0f} CPU cores in a node are assumed, with a "
           "wide "
           "interval. Say it with \"input\": {{\"cores\": 40}}.",
           r.text("node"), r.number("cores"));
     }},
    {"idle_nodes",
     [](const Reason& r) -> std::string {
       const double idle = r.number("idle");
       return fmt::format("{} of {} have no GPU of the job (\"gpus_per_job\" is {}): {} idle{}", idle,
                          counted(r, "nodes", "node"), r.number("gpus"), idle == 1 ? "it" : "they",
                          idle == 1 ? "s" : "");
     }},
    {"no_cycle",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{}: Steps do not repeat: {} were simulated, and the figures of a step are the mean over their "
           "last "
           "half.",
           r.text("workload"), r.number("steps"));
     }},
    {"collisions",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{}: Routes between switches are static ({}), and flows of this training share cables while other "
           "cables are idle. A step takes {}; with adaptive routing it would take {}. Another number of "
           "uplinks "
           "makes other flows collide, so a higher oversubscription can be faster: compare several.",
           r.text("workload"), r.text("routing"), to_text(Duration{r.number("step_s")}),
           to_text(Duration{r.number("adaptive_s")}));
     }},
    {"superlinear",
     [](const Reason& r) -> std::string {
       const std::string& part = r.text("part");
       return fmt::format(
           "{}: {} GPUs reach {} of perfect scaling from one GPU, because {} of a step takes {} and not {}: "
           "{}.",
           r.text("workload"), grouped(r.number("gpus")), percent_text(r.number("efficiency")),
           part == "optimizer" ? "the update"
           : part == "input"   ? "the wait for samples"
                               : "the arithmetic",
           to_text(Duration{r.number("part_s")}), to_text(Duration{r.number("alone_s")}),
           part == "optimizer" ? "each GPU updates a smaller share of the weights"
           : part == "input"   ? "more nodes cache and decode more"
                               : "each GPU has a part of the network, whose kernels have other shapes");
     }},
    {"batch_past_useful",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{}: a step takes {}, past the largest useful batch of {} samples: more in a step do not train "
           "faster. "
           "{}",
           r.text("workload"), batch_text(r), grouped(r.number("useful")),
           r.number("stated") != 0 ? "State a smaller \"global_batch\"."
                                   : "Use fewer GPUs, or state \"global_batch\".");
     }},
    {"ended_early",
     [](const Reason&) -> std::string {
       return "partial: a limit ended the simulation; a figure without an interval was not varied";
     }},
    {"options_left",
     [](const Reason& r) -> std::string {
       return fmt::format("partial: {} of {} choices were tried", r.number("tried"), r.number("options"));
     }},
    {"changes_left",
     [](const Reason&) -> std::string {
       return "partial: the limit ended what would change the answer";
     }},
};

}  // namespace

std::span<const ReasonSentence> warning_sentences() {
  return of_warnings;
}

}  // namespace rackcast::reports

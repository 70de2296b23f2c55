/// Why a fleet that serves does not keep a limit, and what would not change its answer.
#include <fmt/format.h>

#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/serving_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {

namespace {

using doc::Reason;

std::string time_of(const Reason& r, std::string_view key) {
  return to_text(Duration{r.number(key)});
}

std::string rate_of(const Reason& r, std::string_view key) {
  return rate_words(r.number(key)) + " requests/s";
}

/// " (time to the first token)"; empty of a whole answer.
std::string which_limit(const Reason& r) {
  return r.has("limit") ? fmt::format(" ({})", r.text("limit")) : "";
}

constexpr ReasonSentence of_fleets[] = {
    {"cannot_serve",
     [](const Reason& r) -> std::string {
       return r.text("message") + ".";
     }},
    {"refused",
     [](const Reason& r) -> std::string {
       return r.text("message");
     }},
    {"lone_request",
     [](const Reason& r) -> std::string {
       return fmt::format(
           "A single request takes {}{} on {} in {}; {} is the limit, and more nodes do not shorten it.",
           time_of(r, "time_s"), which_limit(r), r.text("gpu"), r.text("precision"), time_of(r, "limit_s"));
     }},
    {"no_load",
     [](const Reason& r) -> std::string {
       return fmt::format("No load at all keeps {:g} % of the requests within {}.",
                          100 * r.number("percentile"), time_of(r, "limit_s"));
     }},
    {"fleet_past_most",
     [](const Reason& r) -> std::string {
       return fmt::format("The busiest hour takes about {:.0f} nodes (each answers {}{}); max_nodes is {}.",
                          r.number("nodes"), rate_of(r, "each_per_s"),
                          r.has("binds") ? ", bound by " + r.text("binds") : "", r.number("max_nodes"));
     }},
    {"rarely_up",
     [](const Reason& r) -> std::string {
       return fmt::format("{} of which {} have to be up keep {:.6g} of the time at most, and {:g} is asked.",
                          counted(r, "nodes", "node"), r.number("needed"), r.number("reached"),
                          r.number("asked"));
     }},
    {"fleet_spares_past_most",
     [](const Reason& r) -> std::string {
       return fmt::format("{} and {} for the busiest hour are more than max_nodes, {}.",
                          counted(r, "spares", "spare"), counted(r, "nodes", "node"), r.number("max_nodes"));
     }},
    {"fleet_takes",
     [](const Reason& r) -> std::string {
       return fmt::format("It takes {}; max_nodes is {}.", counted(r, "nodes", "node"),
                          r.number("max_nodes"));
     }},
    {"each_past_limit",
     [](const Reason& r) -> std::string {
       return fmt::format("{} would have to take {} each; the limit set by {} is {}.{}",
                          counted(r, "nodes", "node"), rate_of(r, "each_per_s"), r.text("limit"),
                          rate_of(r, "limit_per_s"), also(r));
     }},
    {"overloaded",
     [](const Reason& r) -> std::string {
       return fmt::format("{} would be overloaded: each GPU does {} at most, and {} are asked of it.{}",
                          counted(r, "nodes", "node"), rate_of(r, "gpu_per_s"), rate_of(r, "asked_per_s"),
                          also(r));
     }},
    {"late",
     [](const Reason& r) -> std::string {
       const Duration reached{r.number("time_s")}, limit{r.number("limit_s")};
       return fmt::format("With {} up {:g} % of the requests would take up to {}{}; the limit is {}.{}",
                          counted(r, "nodes", "node"), 100 * r.number("percentile"),
                          told_apart(reached, limit), which_limit(r), to_text(limit), also(r));
     }},
    {"fleet_past_limit",
     [](const Reason& r) -> std::string {
       const std::string cores = r.has("cores")
                                     ? fmt::format(" ({} cores; these have {})", grouped(r.number("cores")),
                                                   grouped(r.number("cores_there")))
                                     : "";
       return fmt::format("{} {} at most {}, bound by {}; the busiest hour asks for {}, which takes {}{}.",
                          counted(r, "nodes", "node"), r.number("nodes") == 1 ? "takes" : "take",
                          rate_of(r, "takes_per_s"), r.text("limit"), rate_of(r, "peak_per_s"),
                          counted(r, "enough", "node"), cores);
     }},
    {"others_leave",
     [](const Reason& r) -> std::string {
       return fmt::format("The other limits leave {}.{}",
                          r.number("nodes") == 0 ? "no node" : counted(r, "nodes", "node"), also(r));
     }},
    {"others_leave_late",
     [](const Reason& r) -> std::string {
       return fmt::format("The other limits leave {}: {}; {} is allowed.", counted(r, "nodes", "node"),
                          r.has("time_s") ? "up to " + time_of(r, "time_s") + " a request"
                                          : std::string{"overloaded in the busiest hour"},
                          time_of(r, "limit_s"));
     }},
    {"gpus_overloaded",
     [](const Reason& r) -> std::string {
       return fmt::format("{} GPUs are overloaded at the busiest hour{}.", r.number("gpus"),
                          r.has("enough") ? ", which takes " + counted(r, "enough", "node") : "");
     }},
    {"busiest_hour",
     [](const Reason& r) -> std::string {
       const Duration reached{r.number("time_s")}, limit{r.number("limit_s")};
       return fmt::format("At the busiest hour {:g} % of the requests take up to {}.",
                          100 * r.number("percentile"), told_apart(reached, limit));
     }},
    {"spares_too_few",
     [](const Reason& r) -> std::string {
       return fmt::format("The busiest hour takes {}, {} up {:.6g} of the time with {}; {:g} is asked.",
                          counted(r, "needed", "node"), r.number("needed") == 1 ? "which is" : "which are",
                          r.number("reached"), counted(r, "spares", "spare"), r.number("asked"));
     }},
    {"without_spares",
     [](const Reason& r) -> std::string {
       const double spares = r.number("spares");
       return fmt::format("Without {}, at least {} nodes are up {:.5g} % of the time; with {:.5g} %.",
                          spares == 1 ? "the spare" : fmt::format("the {} spares", spares),
                          r.number("needed"), 100 * r.number("reached"), 100 * r.number("with_spares"));
     }},
    {"no_count_in_time",
     [](const Reason&) -> std::string {
       return "no number of nodes keeps the latency";
     }},
    {"breaks",
     [](const Reason& r) -> std::string {
       return fmt::format("{} would do, but {} {}: {}", counted(r, "nodes", "node"),
                          r.number("nodes") == 1 ? "it breaks" : "they break",
                          r.parts.size() == 1 ? "this limit" : "these limits", parts_text(r, ", "));
     }},
    {"limit",
     [](const Reason& r) -> std::string {
       return fmt::format("{} ({} allowed)", r.text("limit"), r.text("allowed"));
     }},
    {"not_wired",
     [](const Reason& r) -> std::string {
       return fmt::format("{} would do, but cannot be wired", counted(r, "nodes", "node"));
     }},
    {"past_context",
     [](const Reason& r) -> std::string {
       return fmt::format("not possible: prompt and answer would be {} tokens; the network takes {} at most",
                          grouped(r.number("tokens")), grouped(r.number("longest")));
     }},
};

}  // namespace

std::span<const ReasonSentence> fleet_sentences() {
  return of_fleets;
}

}  // namespace rackcast::reports

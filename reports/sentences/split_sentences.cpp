#include "reports/sentences/split_sentences.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {
namespace {

/// "tensor" as a reader says it.
std::string key_text(const std::string& key) {
  if (key == "micro_batch") return "micro-batch";
  if (key == "zero_stage") return "ZeRO stage";
  if (key == "recompute") return "recomputation";
  if (key == "interleave") return "parts of a stage";
  return key;
}

constexpr ReasonSentence of_splits[] = {
    {"split_wins", [](const doc::Reason& r) -> std::string {
       const double step = r.number("step_s"), second = r.number("second_s");
       if (!(second > step))
         return fmt::format("{} takes as long as the second, {}, and cuts less.", r.text("split"),
                            r.text("second"));
       std::string out = fmt::format(
           "{} is faster by {} than the second, {}: its step takes {} instead of {}", r.text("split"),
           percent_text(second / step - 1), r.text("second"), told_apart(Duration{step}, Duration{second}),
           told_apart(Duration{second}, Duration{step}));
       if (const auto gained = r.number_if("part_s"))
         out += fmt::format("; it gains most in: {}, {} less", r.text("part"), duration_text(*gained));
       return out + ".";
     }}};

}  // namespace

std::span<const ReasonSentence> split_sentences() {
  return of_splits;
}

std::string split_rank_text(const SplitSearch& search) {
  if (!search.fits)
    return fmt::format("needs least memory of {} splits, none of which fits", count_text(search.considered));
  return search.considered == 1 ? "the only split"
                                : fmt::format("fastest of {} splits", count_text(search.considered));
}

std::string best_split_text(const SplitSearch::Split& split) {
  std::string out = fmt::format("{}: ", split.text);
  if (split.step_s) out += fmt::format("a step of {}, ", duration_text(*split.step_s));
  out += to_text(Bytes{split.memory_bytes});
  if (!split.step_s) return out;
  const auto share = [&](const std::optional<double>& part) {
    return percent_text(part.value_or(0) / *split.step_s);
  };
  out +=
      fmt::format(", {} bubble, {} exposed exchange", share(split.bubble_s), share(split.exposed_exchange_s));
  if (split.mfu) out += fmt::format(", {} MFU", percent_text(*split.mfu));
  return out;
}

std::string split_counts_text(const SplitSearch& search) {
  std::string out =
      fmt::format("{} splits divide the GPUs, the network and the batch: ", count_text(search.considered));
  out += fmt::format(
      "{} need more than the {} of a GPU, {} cannot be faster than the fifth best, {} were simulated.",
      count_text(search.not_fitting), to_text(Bytes{search.gpu_memory_bytes}), count_text(search.cut_off),
      count_text(search.simulated));
  return out;
}

std::string other_split_text(const SplitSearch& search, const SplitSearch::Other& other) {
  const std::string head = fmt::format("{} {}: ", key_text(other.key), other.value);
  if (other.needed_bytes)
    return head + fmt::format("needs {} of {}", to_text(Bytes{*other.needed_bytes}),
                              to_text(Bytes{search.gpu_memory_bytes}));
  const double best = search.best.front().step_s.value_or(0);
  if (!other.step_s || !(best > 0)) return head + "has no time";
  if (!(*other.step_s > best)) return head + "takes as long, and cuts more";
  return head + fmt::format("a step is {} longer", percent_text(*other.step_s / best - 1));
}

}  // namespace rackcast::reports

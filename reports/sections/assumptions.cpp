/// Every assumption with its source and how far it can be trusted. The terminal gets the count; what rests on
/// memory alone is flagged everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

using Confidence = Assumption::Confidence;
constexpr std::array order{Confidence::verified,  Confidence::fit,    Confidence::scenario,
                           Confidence::defaulted, Confidence::memory, Confidence::low};
constexpr std::size_t names_on_terminal = 4;

std::string_view explain(Confidence confidence) {
  switch (confidence) {
    case Confidence::verified:
      return "verified in the source";
    case Confidence::fit:
      return "fitted to measurements";
    case Confidence::scenario:
      return "from the scenario";
    case Confidence::defaulted:
      return "by default";
    case Confidence::memory:
      return "from memory";
    case Confidence::low:
      return "of low confidence";
  }
  return "";
}

std::int64_t number_of(const ResultDocument& document, Confidence confidence) {
  return std::ranges::count(document.assumptions, confidence, &Assumption::confidence);
}

std::string summary(const ResultDocument& document) {
  std::string text;
  for (const Confidence confidence : order) {
    if (const auto count = number_of(document, confidence); count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, explain(confidence));
    }
  }
  return counted(std::ssize(document.assumptions), "assumption") + ": " + text + ".";
}

std::string flagged_names(const ResultDocument& document) {
  std::string names;
  std::size_t listed = 0;
  const auto total = static_cast<std::size_t>(number_of(document, Confidence::memory));
  for (const Assumption& assumption : document.assumptions) {
    if (assumption.confidence == Confidence::memory && listed < names_on_terminal) {
      names += (listed == 0 ? "" : "; ") + name_of(assumption);
      ++listed;
    }
  }
  return total > listed ? fmt::format("{} and {} more", names, total - listed) : names;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// Whether `text` goes on with `shape`, in which 0 stands for any digit.
bool goes_on(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size() &&
         std::ranges::equal(shape, text.substr(0, shape.size()),
                            [](char wanted, char c) { return wanted == '0' ? is_digit(c) : wanted == c; });
}

/// What makes four digits an amount and no year.
bool is_unit(std::string_view after) {
  constexpr std::string_view units[] = {" B", " GB", " MB", " TB", " kB", " MHz"};
  return std::ranges::any_of(units, [&](std::string_view unit) { return after.starts_with(unit); }) ||
         (after.starts_with(" W") && (after.size() == 2 || !is_word(after[2])));
}

/// "2018-06-01" at the front of `text`, not within a longer name.
bool day_at(char before, std::string_view text) {
  const bool begins = !is_word(before) && before != '@' && before != '/' && before != '-';
  return begins && (text.starts_with("19") || text.starts_with("20")) && goes_on(text, "0000-00-00") &&
         !goes_on(text, "0000-00-000");
}

/// A year from 1980 to 2049 at the front of `text`, as a word of its own.
bool year_at(char before, std::string_view text) {
  const bool in_range =
      text.size() >= 4 &&
      (text.starts_with("19") ? text[2] == '8' || text[2] == '9' : text.starts_with("20") && text[2] <= '4');
  if (!in_range || !goes_on(text, "0000") || std::string_view{" (,/"}.find(before) == std::string_view::npos)
    return false;
  const std::string_view after = text.substr(4);
  return !(!after.empty() && (is_word(after[0]) || after[0] == '.')) && !goes_on(after, "-000") &&
         !is_unit(after);
}

/// The date that a source names, "2018" or "2023-11-16"; empty if it names none.
std::string date_in(std::string_view source) {
  for (const auto& [found, length] : {std::pair{&day_at, 10}, std::pair{&year_at, 4}}) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (found(i == 0 ? ' ' : source[i - 1], source.substr(i)))
        return std::string{source.substr(i, static_cast<std::size_t>(length))};
    }
  }
  return {};
}

Table assumption_table(const ResultDocument& document) {
  Table table;
  table.caption = "Assumptions";
  table.columns = {{"Assumption"}, {"Value", Align::right}, {"Confidence"}, {"Date"}, {"Source"}, {"Set at"}};
  for (const Assumption& assumption : document.assumptions) {
    Cell confidence = text_cell(std::string(to_string(assumption.confidence)));
    if (assumption.confidence == Confidence::memory) {
      confidence = {.text = "⚠ memory, unverified", .value = {}, .unit = {}, .tone = Tone::caution};
    } else if (assumption.confidence == Confidence::low) {
      confidence.tone = Tone::caution;
    }
    const std::string source = source_of(assumption);
    table.rows.push_back({text_cell(name_of(assumption)), text_cell(value_of(assumption)), confidence,
                          text_cell(date_in(source)), text_cell(source), text_cell(assumption.where)});
  }
  return table;
}

/// The input that moves the time most, of the workload that takes longest.
std::string widest_input(const ResultDocument& document) {
  const Sensitivity* widest = nullptr;
  for (const WorkloadResult& w : document.asked()) {
    if (w.sensitivity.empty() ||
        (document.workloads.size() > 1 && !document.premise.adds_up && w.model != document.answer.workload))
      continue;
    widest = &w.sensitivity.front();
    const auto [low, high] = std::minmax(widest->low_s, widest->high_s);
    std::string name = widest->input;
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return fmt::format(
        "{}{}: the time is {} to {}.", name,
        widest->low_text.empty() ? "" : fmt::format(" ({} to {})", widest->low_text, widest->high_text),
        duration_text(low), duration_text(high));
  }
  return {};
}

/// "0.489 of 1.68 million USD have prices from memory."
std::string unsure_prices(const ResultDocument& document) {
  if (!document.site || !document.site->bill_total_usd) return {};
  double memory = 0;
  for (const auto& row : document.site->bill)
    memory += row.confidence == "memory" ? row.total_usd.value_or(0) : 0;
  return memory > 0 ? fmt::format("Prices from memory, unverified: {} of {}.", to_text(Money{memory}),
                                  to_text(Money{*document.site->bill_total_usd}))
                    : "";
}

}  // namespace

Blocks weighty_assumptions(const ResultDocument& document) {
  List list;
  const auto add = [&list](std::string text) {
    if (!text.empty()) list.items.push_back(std::move(text));
  };
  add(widest_input(document));
  add(unsure_prices(document));
  if (const auto flagged = number_of(document, Confidence::memory); flagged > 0)
    add(fmt::format("{} of {} {} from memory, unverified.", flagged,
                    counted(std::ssize(document.assumptions), "assumption"), flagged == 1 ? "is" : "are"));
  if (list.items.empty()) return {};
  return {{Subheading{std::string{weighty_assumptions_title}}}, {std::move(list)}};
}

Blocks assumptions_section(const ResultDocument& document) {
  if (document.assumptions.empty()) {
    return {};
  }
  Blocks blocks{
      {Paragraph{summary(document) +
                 " Where no date is given the source names none; a commit behind @ fixes its version."},
       Audience::document},
      {Paragraph{summary(document) + " The HTML report lists each with its source."}, Audience::terminal}};
  if (number_of(document, Confidence::memory) > 0) {
    blocks.push_back({Note{Tone::caution, "From memory, unverified", flagged_names(document)}});
  }
  blocks.push_back({assumption_table(document), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports

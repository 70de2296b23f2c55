#include "reports/blocks/readable.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <variant>

namespace rackcast::reports {
namespace {

constexpr std::size_t grouped_from = 4;  ///< digits

/// What may follow a number whose thousands are set apart.
constexpr auto counted_things = std::to_array<std::string_view>(
    {"USD",      "GPU",      "GPUs",       "node",     "nodes",  "samples", "samples/s", "images",
     "images/s", "requests", "requests/s", "tokens/s", "steps",  "epochs",  "W",         "kW",
     "kg",       "t",        "kWh",        "MWh",      "cables", "ports",   "racks"});

/// Units that the parser writes in letters of a keyboard.
struct Sign {
  std::string_view typed, shown;
};
constexpr auto signs =
    std::to_array<Sign>({{"us", "µs"}, {"m2", "m²"}, {"m3", "m³"}, {"m3/s", "m³/s"}, {"x", "×"}});

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The word without what closes a sentence or a bracket, and without "/year".
std::string_view core(std::string_view word) {
  while (!word.empty() && (word.back() == '.' || word.back() == ',' || word.back() == ';' ||
                           word.back() == ':' || word.back() == ')'))
    word.remove_suffix(1);
  if (word.starts_with("USD/")) return word.substr(0, 3);
  return word;
}

/// The digits at the begin of a word that is a plain number, after a bracket or a sign; none otherwise.
std::string_view whole_digits(std::string_view word) {
  while (!word.empty() && (word.front() == '(' || word.front() == '-' || word.front() == '+'))
    word.remove_prefix(1);
  const auto end = std::ranges::find_if_not(word, is_digit);
  const auto count = static_cast<std::size_t>(end - word.begin());
  const std::string_view rest = word.substr(count);
  const bool decimals =
      rest.size() > 1 && rest.front() == '.' && std::ranges::all_of(rest.substr(1), is_digit);
  return count > 0 && (rest.empty() || decimals) ? word.substr(0, count) : std::string_view{};
}

/// A number, or what closes a count of nodes: "660 + 2 spares x DGX-1V".
bool ends_in_number(std::string_view word) {
  return word == "spare" || word == "spares" || !whole_digits(word).empty() ||
         (!word.empty() && is_digit(word.back()) && !std::isalpha(static_cast<unsigned char>(word.front())));
}

std::string grouped(std::string_view word, std::string_view digits) {
  std::string out(word);
  const auto first = static_cast<std::size_t>(digits.data() - word.data());
  for (std::size_t at = first + digits.size(); at > first + 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

/// The first word of a text, which is cut off.
std::string_view taken_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

/// Does the text go on as a count of things: "GPUs", "x NVIDIA DGX-1V", "+ 2 spares"? Not "x 1024 pixels".
bool counts(std::string_view later) {
  const std::string_view after = taken_word(later);
  if (std::ranges::find(counted_things, core(after)) != counted_things.end()) return true;
  if (after == "x") return !later.empty() && std::isalpha(static_cast<unsigned char>(later.front())) != 0;
  if (after != "+" || whole_digits(taken_word(later)).empty()) return false;
  const std::string_view added = taken_word(later);
  return added == "spare" || added == "spares";
}

std::string shown_word(std::string_view before, std::string_view word, std::string_view later) {
  const std::string_view digits = whole_digits(word), after = later.substr(0, later.find(' '));
  if (digits.size() >= grouped_from && counts(later)) return grouped(word, digits);
  if ((word == "x" || word == "(x") && !before.empty() && !after.empty() && is_digit(after.front()))
    return word == "x" ? "×" : "(×";
  const std::string_view unit = core(word);
  for (const Sign& sign : signs) {
    if (unit == sign.typed && ends_in_number(before) && (sign.typed != "x" || !after.empty()))
      return std::string(sign.shown) + std::string(word.substr(unit.size()));
  }
  return std::string(word);
}

class Pass {
 public:
  void operator()(Headline& b) const {
    for (std::string* text : {&b.title, &b.lead, &b.verdict}) text_(*text);
    for (Fact& fact : b.facts) (*this)(fact);
  }
  void operator()(Fact& fact) const {
    for (std::string* text : {&fact.label, &fact.value, &fact.detail}) text_(*text);
  }
  void operator()(Subheading& b) const { text_(b.text); }
  void operator()(Paragraph& b) const { text_(b.text); }
  void operator()(List& b) const {
    for (std::string& item : b.items) text_(item);
  }
  void operator()(KeyValues& b) const {
    for (Fact& fact : b.rows) (*this)(fact);
  }
  void operator()(Note& b) const { text_(b.text); }
  void operator()(Table& b) const {
    text_(b.caption);
    for (auto& row : b.rows) {
      for (Cell& cell : row) text_(cell.text);
    }
  }
  void operator()(StackedBar& b) const {
    text_(b.caption);
    text_(b.total_text);
    for (auto& part : b.parts) text_(part.text);
  }
  void operator()(Chart& b) const {
    text_(b.caption);
    text_(b.marked_label);
    (*this)(b.data);
  }
  void operator()(BarChart& b) const {
    text_(b.caption);
    for (auto& bar : b.bars) {
      text_(bar.label);
      text_(bar.text);
    }
    (*this)(b.data);
  }
  void operator()(Drawing& b) const {
    text_(b.caption);
    text_(b.alternative);
  }
  void operator()(WhatIf& b) const {
    for (auto& outcome : b.outcomes) {
      text_(outcome.answer);
      for (auto& fact : outcome.facts) text_(fact);
    }
  }
  void operator()(AskAgain&) const {}
  void operator()(Code&) const {}

 private:
  static void text_(std::string& text) { text = readable(std::move(text)); }
};

}  // namespace

std::string readable(std::string text) {
  std::string out;
  out.reserve(text.size() + 8);
  std::string_view rest = text, before;
  while (true) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    const std::string_view later = rest.substr(std::min(end + 1, rest.size()));
    out += shown_word(before, word, later);
    if (end == rest.size()) return out;
    out += ' ';
    before = word;
    rest = later;
  }
}

Report readable(Report report) {
  for (Section& section : report.sections) {
    for (Block& block : section.blocks) std::visit(Pass{}, block.body);
  }
  return report;
}

}  // namespace rackcast::reports

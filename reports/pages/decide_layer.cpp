/// The first page on a terminal, cut to what fits.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "reports/blocks/format.hpp"
#include "reports/pages/report.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

constexpr std::ptrdiff_t most_lines = 24;

/// Figures that a reader can do without to decide, the first of them first. Each step takes one thing away
/// and says whether there was one.
class Cuts {
 public:
  explicit Cuts(Blocks& blocks) : blocks_(blocks) {}

  bool take() {
    return fact(1) || assumption(2) || table_row() || warnings() || assumption(1) || fact(2) || risk(2);
  }

 private:
  template <class Body>
  Body* body(std::size_t number = 0) {
    for (Block& block : blocks_)
      if (auto* found = std::get_if<Body>(&block.body); found && number-- == 0) return found;
    return nullptr;
  }

  bool fact(int cut) {
    Headline* box = body<Headline>();
    if (box == nullptr) return false;
    const auto last =
        std::find_if(box->facts.rbegin(), box->facts.rend(), [cut](const Fact& f) { return f.cut == cut; });
    if (last == box->facts.rend()) return false;
    box->facts.erase(std::next(last).base());
    return true;
  }

  /// Items of a list beyond the first `kept`.
  static bool item(List* list, std::size_t kept) {
    if (list == nullptr || list->items.size() <= kept) return false;
    list->items.pop_back();
    return true;
  }
  List* list_below(std::string_view title) {
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
      const auto* heading = std::get_if<Subheading>(&blocks_[i].body);
      if (heading != nullptr && heading->text == title) return std::get_if<List>(&blocks_[i + 1].body);
    }
    return nullptr;
  }
  bool assumption(std::size_t kept) { return item(list_below(weighty_assumptions_title), kept); }
  bool risk(std::size_t kept) { return item(list_below(largest_risks_title), kept); }

  /// Racks and power of the plan that is safe: its odds, its money and what it breaks stay.
  bool table_row() {
    Table* table = body<Table>();
    if (table == nullptr) return false;
    const auto row = std::find_if(table->rows.rbegin(), table->rows.rend(), [](const auto& cells) {
      return cells.front().text == "Racks" || cells.front().text == "Power";
    });
    if (row == table->rows.rend()) return false;
    table->rows.erase(std::next(row).base());
    return true;
  }

  /// One line stands for all warnings.
  bool warnings() {
    const auto is_warning = [](const Block& block) {
      const auto* note = std::get_if<Note>(&block.body);
      return note != nullptr && note->title == warning_title;
    };
    const std::ptrdiff_t all = std::ranges::count_if(blocks_, is_warning);
    if (all == 0) return false;
    std::erase_if(blocks_, [&](const Block& b) {
      return is_warning(b) || (b.audience == Audience::terminal && std::holds_alternative<Note>(b.body));
    });
    blocks_.push_back(
        {Note{Tone::caution, "", counted(all, "warning") + " in the full report"}, Audience::terminal});
    return true;
  }

  Blocks& blocks_;
};

}  // namespace

Report decide_layer(const Report& report, const TextOptions& options) {
  Report out{report.title, report.subtitle, {}};
  if (report.sections.empty()) return out;
  out.sections.push_back(report.sections.front());
  Cuts cuts{out.sections.front().blocks};
  while (std::ranges::count(write_text(out, options), '\n') > most_lines && cuts.take()) {
  }
  return out;
}

}  // namespace rackcast::reports

#include "reports/drawings/rack_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double unit_height = 14, view_width = 170, rack_margin = 26, gap = 34, head = 24;
constexpr double call_width = 380, call_height = 17;  ///< words beside the rack
constexpr double call_letter = 7.4;                   ///< about as wide as one of them
constexpr int label_columns = 23;                     ///< that a view has room for
constexpr int most_units = 60;

/// One face of the rack at `x`.
std::string view(const RackDrawing& rack, double x, bool rear) {
  std::string out = fmt::format(R"(<text class="label" x="{}" y="15">{}</text>)", x, rear ? "Rear" : "Front");
  out += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)", x, head, view_width,
                     rack.units * unit_height);
  for (int u = 1; u <= rack.units; ++u) {
    if (u % 5 != 0 && u != 1) {
      continue;
    }
    out += fmt::format(R"(<text class="tick end" x="{}" y="{:g}">{}</text>)", x - 5,
                       head + (rack.units - u) * unit_height + unit_height - 3, u);
  }
  for (const auto& d : rack.devices) {
    const double top = head + (rack.units - (d.u + d.units - 1)) * unit_height;
    const bool here = d.rear == rear;
    out += fmt::format(
        R"(<rect class="device s{}{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"><title>{}</title></rect>)",
        d.colour % 6, here ? "" : " behind", x + 1, top + 0.5, view_width - 2, d.units * unit_height - 1,
        html_escape(fmt::format("U{}: {}", d.u, d.label)));
    if (here && display_width(d.label) <= label_columns) {  // longer ones stand beside the rack alone
      out += fmt::format(R"(<text class="device" x="{:g}" y="{:g}">{}</text>)", x + view_width / 2,
                         top + d.units * unit_height / 2 + 4, html_escape(d.label));
    }
  }
  return out;
}

/// Neighbours that are alike, as one.
struct Run {
  int u = 0, units = 0, count = 0;
  std::string label;
  bool rear = false;
};

/// From the top.
std::vector<Run> runs_of(const RackDrawing& rack) {
  std::vector<RackDrawing::Device> devices = rack.devices;
  std::ranges::stable_sort(devices, std::ranges::greater{}, &RackDrawing::Device::u);
  std::vector<Run> runs;
  for (const auto& d : devices) {
    if (!runs.empty() && runs.back().label == d.label && runs.back().rear == d.rear &&
        d.u + d.units == runs.back().u) {
      runs.back().u = d.u;
      runs.back().units += d.units;
      ++runs.back().count;
    } else {
      runs.push_back({d.u, d.units, 1, d.label, d.rear});
    }
  }
  return runs;
}

std::string units_text(const Run& run) {
  return run.units == 1 ? fmt::format("U{}", run.u) : fmt::format("U{}–{}", run.u, run.u + run.units - 1);
}

std::string words_of(const Run& run) {
  return fmt::format("{}{}, {}", run.count > 1 ? fmt::format("{} × ", run.count) : "", run.label,
                     run.rear ? "rear" : "front");
}

/// What stands where, in words to the right of the rack, each at the height of its device; none where they
/// would not find room. As wide as it says.
std::string callouts(const RackDrawing& rack, double x) {
  const std::vector<Run> runs = runs_of(rack);
  const double bottom = head + rack.units * unit_height - 4;
  if (static_cast<double>(runs.size()) * call_height > bottom - head) return {};
  const auto middle = [&](const Run& run) {
    return head + (rack.units - (run.u - 1) - run.units / 2.0) * unit_height;
  };
  std::vector<double> at(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    at[i] = std::max(middle(runs[i]), i == 0 ? head + 6 : at[i - 1] + call_height);
  }
  double below = bottom + call_height;
  for (std::size_t i = runs.size(); i-- > 0;) below = at[i] = std::min(at[i], below - call_height);
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    out += fmt::format(R"(<path class="lead" d="M{:g},{:.1f} l6,0 L{:g},{:.1f} l4,0"/>)", x, middle(run),
                       x + 22, at[i]);
    out += fmt::format(R"(<text class="call" x="{:g}" y="{:.1f}"><tspan>{}</tspan>  {}</text>)", x + 30,
                       at[i] + 4.5, units_text(run), html_escape(words_of(run)));
  }
  return out;
}

}  // namespace

std::string rack_svg(const RackDrawing& rack) {
  if (rack.units < 1 || rack.units > most_units) {
    return {};
  }
  const double right = 2 * (rack_margin + view_width) + gap - rack_margin;
  double calls = call_width;
  for (const Run& run : runs_of(rack)) {
    const auto letters = display_width(units_text(run)) + 2 + display_width(words_of(run));
    calls = std::max(calls, 32 + call_letter * letters);
  }
  const double width = right + calls, height = head + rack.units * unit_height + 2;
  return fmt::format(
      R"(<svg class="rack" viewBox="0 0 {:g} {:g}" width="{:g}" role="img" aria-label="{}">{}{}{}</svg>)",
      width, height, width, html_escape(rack.title), view(rack, rack_margin, false),
      view(rack, rack_margin + view_width + gap, true), callouts(rack, right + 1));
}

}  // namespace rackcast::reports

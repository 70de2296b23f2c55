#include "reports/rack_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/display_text.hpp"
#include "reports/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double unit_height = 14, view_width = 170, margin = 26, gap = 34, head = 24;
constexpr int label_columns = 23;  ///< that a view has room for
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
    if (here) {
      const auto lines = wrap(d.label, label_columns);
      const std::string words = lines.front() + (lines.size() > 1 ? "…" : "");
      out += fmt::format(R"(<text class="device" x="{:g}" y="{:g}">{}</text>)", x + view_width / 2,
                         top + d.units * unit_height / 2 + 4, html_escape(words));
    }
  }
  return out;
}

}  // namespace

std::string rack_svg(const RackDrawing& rack) {
  if (rack.units < 1 || rack.units > most_units) {
    return {};
  }
  const double width = 2 * (margin + view_width) + gap - margin + 2,
               height = head + rack.units * unit_height + 2;
  return fmt::format(
      R"(<svg class="rack" viewBox="0 0 {:g} {:g}" width="{:g}" role="img" aria-label="{}">{}{}</svg>)",
      width, height, width, html_escape(rack.title), view(rack, margin, false),
      view(rack, margin + view_width + gap, true));
}

}  // namespace rackcast::reports

#include "reports/drawings/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "reports/blocks/format.hpp"
#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

/// Narrow enough that a printed page keeps its letters readable: names stand above their lanes.
constexpr double page_width = 720, name_height = 18, box_height = 20, lane_gap = 8, axis_height = 30;

/// Series of the palette by what a box stands for.
constexpr std::pair<std::string_view, int> series[] = {{"forward", 1},
                                                       {"backward", 2},
                                                       {"waiting for all-reduce", 5},
                                                       {"pipeline bubble", 5},
                                                       {"waiting for collectives", 5},
                                                       {"waiting for another rank", 5},
                                                       {"gradient exchange", 3},
                                                       {"collective", 3},
                                                       {"message", 3},
                                                       {"exchange of activations", 3},
                                                       {"tokens to experts and back", 3},
                                                       {"from another stage", 3},
                                                       {"exchange of shards", 3},
                                                       {"batch", 0},
                                                       {"host", 0},
                                                       {"update", 4},
                                                       {"optimizer", 4}};

std::string class_of(std::string_view name) {
  const auto* found = std::ranges::find(series, name, [](const auto& s) { return s.first; });
  return found == std::end(series) ? "other" : fmt::format("s{}", found->second);
}

/// Draws the lanes of one step below each other.
class Step {
 public:
  explicit Step(const Timeline& timeline) : timeline_(timeline) {}

  /// The inside of an SVG element; afterwards height() says how tall it is.
  std::string draw() {
    for (const auto& lane : timeline_.lanes) {
      name(lane.name);
      for (const auto& span : lane.spans) {
        box(span);
      }
      y_ += box_height + lane_gap;
    }
    for (const auto& share : timeline_.shares) {
      name(fmt::format("{}, {} busy", share.name, percent_text(share.mean)));
      steps(share);
      y_ += box_height + lane_gap;
    }
    axis();
    return std::move(grid_) + out_;
  }
  [[nodiscard]] double height() const { return y_; }

 private:
  [[nodiscard]] double px(double seconds) const {
    return page_width * std::clamp(seconds / timeline_.length, 0.0, 1.0);
  }

  void name(const std::string& words) {
    out_ += fmt::format("<text class=\"lane\" x=\"0\" y=\"{:.0f}\">{}</text>\n", y_ + 13, html_escape(words));
    y_ += name_height;
  }

  void box(const Timeline::Span& span) {
    const double x = px(span.start), width = std::max(0.5, px(span.start + span.seconds) - x);
    const std::string name = html_escape(span.name), sort = class_of(span.name);
    out_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}, "
        "{}</title>"
        "</rect>\n",
        sort, x, y_, width, box_height, name, duration_text(span.seconds));
    constexpr double letter = 7;  // about as wide as one at 12 px
    if (width > letter * static_cast<double>(span.name.size()) + 8) {
      out_ += fmt::format("<text class=\"name on-{}\" x=\"{:.2f}\" y=\"{:.0f}\">{}</text>\n", sort,
                          x + width / 2, y_ + 14.5, name);
    }
  }

  void steps(const Timeline::Share& share) {
    const double base = y_ + box_height;
    std::string path = fmt::format("M0 {:.2f}", base);
    for (std::size_t i = 0; i < share.points.size(); ++i) {
      const auto& [from, value] = share.points[i];
      const double end = i + 1 < share.points.size() ? share.points[i + 1].first : timeline_.length;
      const double top = base - box_height * std::clamp(value, 0.0, 1.0);
      path += fmt::format("L{0:.2f} {2:.2f}L{1:.2f} {2:.2f}", px(from), px(end), top);
    }
    out_ += fmt::format("<path class=\"use\" d=\"{}L{} {:.2f}Z\"/>\n", path, page_width, base);
  }

  /// Four equal parts of the step, from its begin.
  void axis() {
    constexpr int parts = 4;
    for (int i = 0; i <= parts; ++i) {
      const double x = page_width * i / parts;
      grid_ += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1:.0f}\"/>\n", x, y_);
      out_ += fmt::format("<text class=\"tick{}\" x=\"{}\" y=\"{:.0f}\">{}</text>\n",
                          i == 0       ? " first"
                          : i == parts ? " last"
                                       : "",
                          x, y_ + 16, i == 0 ? "0" : duration_text(timeline_.length * i / parts));
    }
    y_ += axis_height;
  }

  const Timeline& timeline_;
  double y_ = 0;
  std::string grid_, out_;
};

std::string title_of(const WorkloadResult& workload, bool measured) {
  return fmt::format("{}: one repeating step of {}, as simulated{}", workload.title,
                     duration_text(workload.timeline->length),
                     measured ? " without your own measurements" : "");
}

/// What the page's style sheet says, for a document that stands alone.
constexpr std::string_view style = R"(<style>
svg.timeline { --text: #18212d; --muted: #556070; --s0: #0072b2; --s1: #56b4e9; --s2: #d55e00; --s3: #009e73; --s4: #e69f00; --s5: #cc79a7; }
text { font: 12px system-ui, sans-serif; fill: var(--text); }
.title { font-size: 15px; font-weight: 700; }
.name { text-anchor: middle; fill: #101418; } .name.on-s0 { fill: #fff; }
.tick { text-anchor: middle; fill: var(--muted); } .tick.first { text-anchor: start; } .tick.last { text-anchor: end; }
.grid { stroke: var(--muted); stroke-opacity: .35; } .use { fill: var(--muted); } .other { fill: #999; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); } .s4 { fill: var(--s4); } .s5 { fill: var(--s5); }
</style>
)";

}  // namespace

std::optional<Drawing> timeline_drawing(const WorkloadResult& workload, bool measured) {
  if (!workload.timeline || workload.timeline->lanes.empty()) {
    return std::nullopt;
  }
  Step step(*workload.timeline);
  const std::string inside = step.draw();
  return Drawing{
      title_of(workload, measured),
      "Boxes of each GPU stream, link and reader over the time of one step; the shares in use below",
      fmt::format("<svg class=\"timeline\" viewBox=\"-2 0 {:.0f} {:.0f}\">\n{}</svg>", page_width + 4,
                  step.height(), inside)};
}

std::string timeline_document(const ResultDocument& document) {
  constexpr double title_height = 30, gap = 24;
  std::string body;
  double y = 8;
  for (const WorkloadResult& workload : document.workloads) {
    if (!workload.timeline) {
      continue;
    }
    Step step(*workload.timeline);
    const std::string inside = step.draw();
    body += fmt::format(
        "<text class=\"title\" x=\"0\" y=\"{:.0f}\">{}</text>\n<g transform=\"translate(0 "
        "{:.0f})\">\n{}</g>\n",
        y + 16, html_escape(title_of(workload, !document.measured.empty())), y + title_height, inside);
    y += title_height + step.height() + gap;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" viewBox=\"-16 0 {} {:.0f}\" "
             "role=\"img\" "
             "aria-label=\"Timeline of one training step\">\n{}<rect x=\"-16\" width=\"100%\" "
             "height=\"100%\" "
             "fill=\"#ffffff\"/>\n",
             page_width + 32, y, style) +
         body + "</svg>\n";
}

}  // namespace rackcast::reports

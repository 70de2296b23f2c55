#include "reports/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/format.hpp"
#include "reports/html_text.hpp"
#include "sim/trace.hpp"

namespace rackcast::reports {
namespace {

using Span = Tracer::Span;
using Value = Tracer::Value;

constexpr double label_width = 330, plot_width = 820, lane_height = 30, part_gap = 64, right_margin = 20;
constexpr std::size_t most_counters = 6;
constexpr double least_share = 0.01;  ///< of a counter's mean; an idle link needs no lane
constexpr std::string_view end_of_step = "optimizer";
constexpr std::string_view counters = "Share in use";  // the group that sim/fluid_trace.cpp writes

/// The palette of reports/html/report.css, for a drawing that stands alone.
constexpr std::pair<const char*, const char*> colours[] = {
    {"forward", "#56b4e9"},           {"backward", "#d55e00"}, {"waiting for all-reduce", "#cc79a7"},
    {"gradient exchange", "#009e73"}, {"batch", "#0072b2"},    {end_of_step.data(), "#e69f00"}};

const char* colour_of(std::string_view name) {
  const auto* found =
      std::ranges::find(colours, name, [](const auto& c) { return std::string_view(c.first); });
  return found == std::end(colours) ? "#999999" : found->second;
}

/// What of the trace belongs to one run: everything before ": " of the group, or nothing where there is one
/// run.
std::string_view part_of(std::string_view group) {
  const std::size_t colon = group.find(": ");
  return colon == std::string_view::npos ? std::string_view{} : group.substr(0, colon);
}

struct Window {
  SimTime from{}, to{};
};

Window window_of(const std::vector<Span>& spans) {
  Window all{never, {}};
  std::vector<SimTime> ends;
  for (const Span& span : spans) {
    all.from = std::min(all.from, span.start);
    all.to = std::max(all.to, span.end);
    if (span.name == end_of_step) ends.push_back(span.end);
  }
  if (ends.size() < 2) return all;
  // The simulation ends when a step repeats the one before; the flows of the last are cut off there.
  const std::size_t last = ends.size() > 2 ? ends.size() - 2 : 1;
  return {ends[last - 1], ends[last]};
}

/// Draws the lanes of one run below each other.
class Part {
 public:
  Part(const Tracer& tracer, std::string_view name, std::vector<Span> spans, std::vector<Value> values,
       double top)
      : clock_(tracer.clock()), name_(name), spans_(std::move(spans)), values_(std::move(values)), y_(top) {
    window_ = window_of(spans_);
  }

  std::string draw() {
    const double length = seconds(window_.to) - seconds(window_.from);
    if (length <= 0) return {};
    out_ += fmt::format("<text class=\"title\" x=\"0\" y=\"{}\">{}{} of one step</text>\n", y_ + 16,
                        html_escape(name_.empty() ? "" : std::string(name_) + ": "), duration_text(length));
    y_ += 30;
    const double top = y_;
    draw_boxes();
    draw_counters();
    axis(top, length);
    return std::move(out_);
  }

  [[nodiscard]] double bottom() const { return y_ + part_gap; }

 private:
  [[nodiscard]] double seconds(SimTime time) const { return clock_.duration(time).base(); }
  [[nodiscard]] double px(SimTime time) const {
    const SimTime inside = std::clamp(time, window_.from, window_.to);
    return label_width + plot_width * (seconds(inside) - seconds(window_.from)) /
                             (seconds(window_.to) - seconds(window_.from));
  }

  void lane(const std::string& label) {
    out_ += fmt::format("<text class=\"lane\" x=\"{}\" y=\"{}\">{}</text>\n", label_width - 10, y_ + 19,
                        html_escape(label));
  }

  [[nodiscard]] std::string label_of(std::string_view group, std::string_view row) const {
    if (!name_.empty()) group.remove_prefix(std::min(group.size(), name_.size() + 2));
    return std::string(group) + ", " + std::string(row);
  }

  void draw_boxes() {
    std::vector<std::pair<std::string_view, std::string_view>> lanes;
    for (const Span& span : spans_) {
      if (std::ranges::find(lanes, std::pair(span.group, span.row)) == lanes.end())
        lanes.emplace_back(span.group, span.row);
    }
    std::ranges::sort(lanes);
    for (const auto& [group, row] : lanes) {
      lane(label_of(group, row));
      for (const Span& span : spans_) {
        if (span.group == group && span.row == row && span.end > window_.from && span.start < window_.to)
          box(span);
      }
      y_ += lane_height;
    }
  }

  void box(const Span& span) {
    const double x = px(span.start), width = std::max(0.5, px(span.end) - x);
    const std::string name = html_escape(span.name);
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"22\" fill=\"{}\"><title>{}, {}</title>"
        "</rect>\n",
        x, y_ + 3, width, colour_of(span.name), name, duration_text(seconds(span.end) - seconds(span.start)));
    constexpr double letter = 7.2;  // about as wide as one at 12 px
    if (width > letter * static_cast<double>(span.name.size()) + 8) {
      out_ +=
          fmt::format("<text class=\"name\" x=\"{:.2f}\" y=\"{}\">{}</text>\n", x + width / 2, y_ + 18, name);
    }
  }

  /// The counters that are busiest in the window, as steps.
  void draw_counters() {
    std::map<std::string_view, std::vector<Value>> rows;
    for (const Value& value : values_) {
      if (value.time <= window_.to) rows[value.row].push_back(value);
    }
    std::vector<std::pair<double, std::string_view>> busiest;
    for (const auto& [row, values] : rows) {
      if (const double share = mean(values); share >= least_share) busiest.emplace_back(-share, row);
    }
    std::ranges::sort(busiest);
    busiest.resize(std::min(busiest.size(), most_counters));
    for (const auto& [share, row] : busiest) {
      lane(fmt::format("{}, {} busy", row, percent_text(-share)));
      steps(rows[row]);
      y_ += lane_height;
    }
  }

  [[nodiscard]] double mean(const std::vector<Value>& values) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const SimTime end = i + 1 < values.size() ? values[i + 1].time : window_.to;
      sum += values[i].value * std::max(0.0, px(end) - px(values[i].time));
    }
    return sum / plot_width;
  }

  void steps(const std::vector<Value>& values) {
    std::string path = fmt::format("M{} {}", label_width, y_ + 25);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double height = 22 * std::clamp(values[i].value, 0.0, 1.0);
      const SimTime end = i + 1 < values.size() ? values[i + 1].time : window_.to;
      path += fmt::format("L{0:.2f} {2:.2f}L{1:.2f} {2:.2f}", px(values[i].time), px(end), y_ + 25 - height);
    }
    out_ += fmt::format("<path class=\"use\" d=\"{}L{} {}Z\"/>\n", path, label_width + plot_width, y_ + 25);
  }

  /// Five equal parts of the step, from its begin.
  void axis(double top, double length) {
    constexpr int parts = 5;
    for (int i = 0; i <= parts; ++i) {
      const double x = label_width + plot_width * i / parts;
      out_ +=
          fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>\n", x, top, y_ + 4);
      out_ += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\">{}</text>\n", x, y_ + 20,
                          i == 0 ? "0" : duration_text(length * i / parts));
    }
  }

  Clock clock_;
  std::string_view name_;
  std::vector<Span> spans_;
  std::vector<Value> values_;
  Window window_;
  double y_;
  std::string out_;
};

}  // namespace

std::string timeline_svg(const Tracer& tracer) {
  std::vector<std::string_view> names;  // in the order in which they ran
  for (const Span& span : tracer.spans()) {
    if (std::ranges::find(names, part_of(span.group)) == names.end()) names.push_back(part_of(span.group));
  }
  std::string body;
  double y = 8;
  for (const std::string_view name : names) {
    std::vector<Span> spans = tracer.spans();
    std::vector<Value> values = tracer.values();
    std::erase_if(spans, [&](const Span& span) { return part_of(span.group) != name; });
    std::erase_if(values, [&](const Value& value) {
      return part_of(value.group) != name || !value.group.ends_with(counters);
    });
    Part part(tracer, name, std::move(spans), std::move(values), y);
    body += part.draw();
    y = part.bottom();
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" viewBox=\"-8 0 {} {}\" "
             "role=\"img\" "
             "aria-label=\"Timeline of one "
             "training step\">\n<style>\n"
             "svg.timeline text {{ font: 12px system-ui, sans-serif; fill: #18212d; }}\n"
             "svg.timeline .title {{ font-size: 15px; font-weight: 700; }}\n"
             "svg.timeline .lane {{ text-anchor: end; }}\nsvg.timeline .name, svg.timeline .tick {{ "
             "text-anchor: middle; }}\nsvg.timeline .name {{ fill: #101418; }}\n"
             "svg.timeline .grid {{ stroke: #8a94a3; stroke-opacity: .35; }}\nsvg.timeline .use {{ fill: "
             "#7c8aa0; }}\n</style>\n"
             "<rect x=\"-8\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             label_width + plot_width + 3 * right_margin, y - part_gap + 40) +
         body + "</svg>\n";
}

void add_timeline(Report& report, const Tracer& tracer) {
  const auto performance = std::ranges::find(report.sections, "performance", &Section::id);
  if (performance == report.sections.end() || tracer.spans().empty()) return;
  performance->blocks.push_back(
      {Drawing{"One repeating step, from the simulated events",
               "Boxes of each GPU stream, link and reader over the time of one step; the shares in use below",
               timeline_svg(tracer)},
       Audience::document});
}

}  // namespace rackcast::reports

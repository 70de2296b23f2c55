#include "reports/chart_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "reports/axis_unit.hpp"
#include "reports/display_text.hpp"

namespace rackcast::reports {
namespace {

using Spec = nlohmann::ordered_json;

constexpr int line_height = 320, row_height = 46;  ///< CSS pixels
constexpr std::size_t most_named_ticks = 9;        ///< more points than this: the axis chooses its ticks
constexpr double percent_from = 0.09;              ///< a narrower part has no room for its percentage

std::string colour(std::size_t series) {
  return fmt::format("var(--s{})", series % series_colours);
}

std::string text(const std::string& raw) {
  return single_line(raw);  // also: only valid UTF-8, as JSON wants
}

/// Smallest and largest of what is drawn along an axis.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  [[nodiscard]] bool drawable(const Axis& axis) const {
    return high >= low && (!axis.logarithmic || low > 0);
  }
};

/// An axis with its unit: values go through it into the specification.
class Channel {
 public:
  Channel(const Axis& axis, const Extent& extent)
      : axis_(axis), extent_(extent), unit_(axis_unit(axis.kind, std::max(extent.high, -extent.low))) {}

  [[nodiscard]] double operator()(double value) const { return value / unit_.base; }
  [[nodiscard]] std::string title() const { return text(axis_title(axis_, unit_)); }

  /// The encoding of the first layer, which sets the scale for all.
  [[nodiscard]] Spec encoding(const char* field, bool from_zero) const {
    Spec scale{{"nice", false}};
    if (axis_.logarithmic) {
      const double room = std::pow(extent_.high / extent_.low, 0.04) * 1.03;
      scale["type"] = "log";
      scale["domain"] = {(*this)(extent_.low / room), (*this)(extent_.high * room)};
    } else {
      scale = {{"zero", from_zero}, {"nice", true}};
    }
    return {{"field", field}, {"type", "quantitative"}, {"title", title()}, {"scale", scale}};
  }

 private:
  const Axis& axis_;
  Extent extent_;
  AxisUnit unit_;
};

Spec field(const char* name) {
  return {{"field", name}, {"type", "quantitative"}};
}

Spec shown(const char* name, const std::string& title) {
  return {{"field", name}, {"type", "quantitative"}, {"title", title}, {"format", ",.4~r"}};
}

std::string finished(Spec spec) {
  spec["width"] = "container";
  spec["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  return spec.dump(-1, ' ', false, Spec::error_handler_t::replace);
}

class LineSpec {
 public:
  explicit LineSpec(const Chart& chart)
      : chart_(chart), x_(chart.x, extent(true)), y_(chart.y, extent(false)), layers_(Spec::array()) {}

  std::string write() {
    if (!extent(true).drawable(chart_.x) || !extent(false).drawable(chart_.y)) {
      return {};
    }
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      add_line(chart_.lines[i], i);
    }
    add_mark();
    return finished({{"height", line_height}, {"layer", layers_}});
  }

 private:
  [[nodiscard]] Extent extent(bool along_x) const {
    Extent all;
    for (const auto& line : chart_.lines) {
      for (const auto& p : line.points) {
        for (const double value : along_x ? std::array{p.x, p.x} : std::array{p.low, p.high}) {
          all.include(value);
        }
      }
    }
    return all;
  }

  [[nodiscard]] Spec encodings() const {
    Spec x = x_.encoding("x", false);
    const auto& first = chart_.lines.front();
    if (chart_.x.logarithmic && !first.scattered && first.points.size() <= most_named_ticks) {
      for (const auto& p : first.points) {
        x["axis"]["values"].push_back(x_(p.x));
      }
    }
    Spec names = Spec::array(), colours = Spec::array();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      names.push_back(text(chart_.lines[i].name));
      colours.push_back(colour(i));
    }
    return {{"x", x},
            {"y", y_.encoding("y", true)},
            {"color",
             {{"type", "nominal"}, {"title", nullptr}, {"scale", {{"domain", names}, {"range", colours}}}}}};
  }

  void add_layer(Spec mark, const Spec& extra, const std::string& series) {
    Spec encoding = encodings();
    encoding["color"]["datum"] = text(series);
    encoding.update(extra);
    layers_.push_back({{"data", data_}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}});
  }

  void add_line(const Chart::Line& line, std::size_t index) {
    if (line.points.empty()) {
      return;
    }
    bool interval = false, named = false;
    Spec rows = Spec::array();
    for (const auto& p : line.points) {
      rows.push_back({{"x", x_(p.x)}, {"y", y_(p.y)}, {"low", y_(p.low)}, {"high", y_(p.high)}});
      if (!p.name.empty()) {
        rows.back()["name"] = text(p.name);
      }
      interval = interval || p.low < p.high;
      named = named || !p.name.empty();
    }
    data_ = {{"values", std::move(rows)}};
    Spec range = y_.encoding("low", true);
    Spec tips = {shown("x", x_.title()), shown("y", y_.title())};
    if (interval) {
      tips.insert(tips.end(), {shown("low", "5 %"), shown("high", "95 %")});
      add_layer(line.scattered ? Spec{{"type", "rule"}, {"opacity", 0.45}}
                               : Spec{{"type", "area"}, {"opacity", 0.2}},
                {{"y", range}, {"y2", {{"field", "high"}}}}, line.name);
    }
    if (named) {
      tips.insert(tips.begin(), Spec{{"field", "name"}, {"title", ""}});
    }
    if (!line.scattered) {
      Spec mark{{"type", "line"}, {"strokeWidth", line.dashed ? 2 : 2.5}};
      if (line.dashed) {
        mark["strokeDash"] = index % 2 == 0 ? Spec{2, 4} : Spec{7, 5};
      }
      add_layer(std::move(mark), Spec::object(), line.name);
    }
    if (!line.dashed) {
      add_layer({{"type", "point"}, {"filled", true}, {"size", line.scattered ? 28 : 45}, {"opacity", 1}},
                {{"tooltip", tips}}, line.name);
    }
  }

  /// The chosen point: a ring on the first line and its name.
  void add_mark() {
    if (!chart_.marked_x || chart_.lines.empty()) {
      return;
    }
    const auto& points = chart_.lines.front().points;
    const auto found = std::ranges::find(points, *chart_.marked_x, &Chart::Point::x);
    if (found == points.end()) {
      return;
    }
    const Spec data{
        {"values", {{{"x", x_(found->x)}, {"y", y_(found->y)}, {"name", text(chart_.marked_label)}}}}};
    const Spec at{{"x", field("x")}, {"y", field("y")}};
    Spec labelled = at;
    labelled["text"] = {{"field", "name"}};
    layers_.push_back(
        {{"data", data},
         {"mark", {{"type", "point"}, {"size", 180}, {"stroke", "var(--text)"}, {"strokeWidth", 2}}},
         {"encoding", at}});
    const bool on_the_right = found - points.begin() > std::ssize(points) / 2;
    layers_.push_back({{"data", data},
                       {"mark",
                        {{"type", "text"},
                         {"align", on_the_right ? "right" : "left"},
                         {"dx", on_the_right ? -11 : 11},
                         {"dy", 14},
                         {"stroke", "var(--card)"},
                         {"strokeWidth", 4},
                         {"fontWeight", 700}}},
                       {"encoding", labelled}});
  }

  const Chart& chart_;
  Channel x_, y_;
  Spec layers_, data_;
};

std::string tone_colour(Tone tone) {
  switch (tone) {
    case Tone::good:
      return colour(0);
    case Tone::caution:
      return colour(2);
    case Tone::bad:
      return "var(--muted)";
    case Tone::plain:
      break;
  }
  return colour(1);
}

}  // namespace

std::string chart_spec(const Chart& chart) {
  return chart.lines.empty() ? std::string{} : LineSpec(chart).write();
}

std::string chart_spec(const BarChart& chart) {
  Extent extent;
  for (const auto& bar : chart.bars) {
    extent.include(bar.low.value_or(bar.value));
    extent.include(bar.high.value_or(bar.value));
  }
  for (const auto& limit : chart.limits) {
    extent.include(limit.value);
  }
  if (chart.bars.empty() || !extent.drawable(chart.axis)) {
    return {};
  }
  const Channel x(chart.axis, extent);
  Spec rows = Spec::array(), limits = Spec::array();
  bool interval = false;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const auto& bar = chart.bars[i];
    const std::string label = bar.text.empty() ? bar.label : bar.label + ": " + bar.text;
    rows.push_back({{"row", i}, {"label", text(label)}, {"x", x(bar.value)}, {"ink", tone_colour(bar.tone)}});
    if (bar.low && bar.high) {
      rows.back().update({{"low", x(*bar.low)}, {"high", x(*bar.high)}});
      interval = true;
    }
  }
  for (const auto& limit : chart.limits) {
    limits.push_back({{"x", x(limit.value)}, {"label", text(limit.label)}});
  }
  const Spec y{{"field", "row"}, {"type", "ordinal"}, {"axis", nullptr}, {"scale", {{"padding", 0.1}}}};
  const Spec ink{{"field", "ink"}, {"type", "nominal"}, {"scale", nullptr}};
  const Spec along = x.encoding("x", true);
  Spec mark{{"type", "bar"}, {"height", 14}, {"cornerRadiusEnd", 2}, {"yOffset", 9}};
  if (chart.axis.logarithmic) {
    mark = {{"type", "point"}, {"filled", true}, {"size", 90}, {"opacity", 1}, {"yOffset", 9}};
  }
  Spec layers = Spec::array();
  if (interval) {
    layers.push_back(
        {{"transform", {{{"filter", "isValid(datum.low)"}}}},
         {"mark", {{"type", "rule"}, {"strokeWidth", 3}, {"yOffset", 9}, {"opacity", 0.55}}},
         {"encoding",
          {{"x", x.encoding("low", true)}, {"x2", {{"field", "high"}}}, {"y", y}, {"color", ink}}}});
  }
  layers.push_back({{"mark", mark}, {"encoding", {{"x", along}, {"y", y}, {"color", ink}}}});
  if (interval && !chart.axis.logarithmic) {
    layers.front()["encoding"]["color"] = {{"value", "var(--text)"}};
    std::swap(layers[0], layers[1]);  // the interval over the bar
  }
  if (!limits.empty()) {
    const Spec data{{"values", limits}};
    layers.push_back(
        {{"data", data},
         {"mark", {{"type", "rule"}, {"strokeDash", {7, 5}}, {"strokeWidth", 2}, {"color", "var(--text)"}}},
         {"encoding", {{"x", field("x")}}}});
    layers.push_back(
        {{"data", data},
         {"mark", {{"type", "text"}, {"align", "center"}, {"baseline", "bottom"}, {"fontWeight", 700}}},
         {"encoding", {{"x", field("x")}, {"y", {{"value", -3}}}, {"text", {{"field", "label"}}}}}});
  }
  layers.push_back({{"mark",
                     {{"type", "text"},
                      {"align", "left"},
                      {"yOffset", -10},
                      {"stroke", "var(--card)"},
                      {"strokeWidth", 4}}},
                    {"encoding", {{"x", {{"value", 0}}}, {"y", y}, {"text", {{"field", "label"}}}}}});
  return finished(
      {{"height", row_height * std::ssize(rows)}, {"data", {{"values", rows}}}, {"layer", layers}});
}

std::string chart_spec(const StackedBar& bar) {
  double total = 0;
  for (const auto& part : bar.parts) {
    total += part.value;
  }
  if (!(total > 0) || !std::isfinite(total)) {
    return {};
  }
  Spec rows = Spec::array();
  double reached = 0;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    const double share = bar.parts[i].value / total;
    rows.push_back({{"from", reached},
                    {"to", reached + share},
                    {"middle", reached + share / 2},
                    {"ink", colour(i)},
                    {"on", fmt::format("var(--on{})", i % series_colours)},
                    {"label", text(bar.parts[i].label)},
                    {"value", text(bar.parts[i].text)},
                    {"percent", share >= percent_from ? fmt::format("{:.0f} %", 100 * share) : ""}});
    reached += share;
  }
  const Spec from{{"field", "from"},
                  {"type", "quantitative"},
                  {"axis", nullptr},
                  {"scale", {{"domain", {0, 1}}, {"nice", false}}}};
  const Spec tip = {{{"field", "label"}, {"title", "part"}}, {{"field", "value"}, {"title", "value"}}};
  const Spec ink{{"field", "ink"}, {"type", "nominal"}, {"scale", nullptr}};
  const Spec on{{"field", "on"}, {"type", "nominal"}, {"scale", nullptr}};
  return finished(
      {{"height", 34},
       {"data", {{"values", rows}}},
       {"layer",
        {{{"mark", {{"type", "rect"}, {"stroke", "var(--card)"}, {"strokeWidth", 1.5}}},
          {"encoding", {{"x", from}, {"x2", {{"field", "to"}}}, {"color", ink}, {"tooltip", tip}}}},
         {{"mark", {{"type", "text"}, {"fontWeight", 600}}},
          {"encoding", {{"x", field("middle")}, {"text", {{"field", "percent"}}}, {"color", on}}}}}}});
}

}  // namespace rackcast::reports

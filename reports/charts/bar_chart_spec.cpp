#include <optional>
#include <utility>

#include "reports/charts/chart_channel.hpp"

namespace rackcast::reports {
namespace {

using namespace spec;

constexpr int row_height = 46;         ///< CSS pixels: words above, bar below
constexpr int narrow_width = 480;      ///< CSS pixels of the page's place, as in reports/html/charts.js
constexpr double percent_from = 0.09;  ///< a narrower part has no room for its percentage

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

Extent extent_of(const BarChart& chart) {
  Extent extent;
  for (const auto& bar : chart.bars) {
    extent.include(bar.low.value_or(bar.value));
    extent.include(bar.high.value_or(bar.value));
  }
  for (const auto& limit : chart.limits) {
    extent.include(limit.value);
  }
  return extent;
}

class BarSpec {
 public:
  explicit BarSpec(const BarChart& chart)
      : chart_(chart), extent_(extent_of(chart)), x_(chart.axis, extent_) {}

  std::string write() {
    if (chart_.bars.empty() || !extent_.drawable(chart_.axis)) {
      return {};
    }
    if (chart_.middle) {
      add_spans();
    } else if (chart_.axis.logarithmic) {
      add_points();
    } else {
      add_bars();
    }
    add_limits();
    add_words("name", "left", 0, 400, -26);
    add_words("value", "right", "width", 600, -10);
    return finished({{"height", row_height * std::ssize(chart_.bars)},
                     {"params", {{{"name", "narrow"}, {"expr", fmt::format("width < {}", narrow_width)}}}},
                     {"data", {{"values", rows()}}},
                     {"layer", layers_}});
  }

 private:
  [[nodiscard]] Spec rows() const {
    Spec rows = Spec::array();
    for (const auto& bar : chart_.bars) {
      rows.push_back({{"row", rows.size()},
                      {"name", text(bar.label)},
                      {"value", text(bar.text)},
                      {"x", x_(bar.value)},
                      {"ink", tone_colour(bar.tone)}});
      if (bar.low && bar.high) {
        rows.back().update({{"low", x_(*bar.low)}, {"high", x_(*bar.high)}});
      }
      if (chart_.middle) {
        rows.back()["from"] = x_(*chart_.middle);
      } else if (chart_.axis.logarithmic) {
        rows.back()["from"] = x_.start();
      }
    }
    return rows;
  }

  void add(Spec mark, Spec encoding) {
    if (!mark.contains("yOffset")) mark["yOffset"] = 9;
    encoding["y"] = {{"field", "row"}, {"type", "ordinal"}, {"axis", nullptr}, {"scale", {{"padding", 0.1}}}};
    layers_.push_back({{"mark", std::move(mark)}, {"encoding", std::move(encoding)}});
  }

  /// From one field to another.
  [[nodiscard]] Spec span(const char* from, const char* to, Spec colour_of) const {
    return {{"x", x_.encoding(from, true)}, {"x2", {{"field", to}}}, {"color", std::move(colour_of)}};
  }

  void add_bars() {
    add({{"type", "bar"}, {"height", 14}, {"cornerRadiusEnd", 2}},
        {{"x", x_.encoding("x", true)}, {"color", ink("ink")}});
    add_interval(Spec{{"value", "var(--text)"}});
  }

  /// What shortens and what lengthens, from the middle; the axis need not begin at zero.
  void add_spans() {
    for (const auto& [to, series] : {std::pair{"low", 0}, std::pair{"high", 2}}) {
      Spec encoding = span("from", to, Spec{{"value", colour(static_cast<std::size_t>(series))}});
      encoding["x"] = x_.encoding("from", false);
      add({{"type", "bar"}, {"height", 14}}, std::move(encoding));
    }
  }

  /// A bar needs a zero, which a logarithmic axis lacks: points, with a thin stem from below their name.
  void add_points() {
    add({{"type", "rule"}, {"opacity", 0.5}}, span("from", "x", ink("ink")));
    add_interval(ink("ink"));
    add({{"type", "point"}, {"filled", true}, {"size", 90}, {"opacity", 1}},
        {{"x", x_.encoding("x", true)}, {"color", ink("ink")}});
  }

  void add_interval(Spec colour_of) {
    if (std::ranges::any_of(chart_.bars, [](const auto& bar) { return bar.low && bar.high; })) {
      add({{"type", "rule"}, {"strokeWidth", 3}, {"opacity", 0.55}},
          span("low", "high", std::move(colour_of)));
      layers_.back()["transform"] = Spec::array({{{"filter", "isValid(datum.low)"}}});
    }
  }

  /// Where along the axis a value lies, 0 to 1.
  [[nodiscard]] double place(double value) const {
    if (chart_.middle)
      return extent_.high > extent_.low ? (value - extent_.low) / (extent_.high - extent_.low) : 0.5;
    return chart_.axis.logarithmic ? std::log(value / extent_.low) / std::log(extent_.high / extent_.low)
                                   : value / extent_.high;
  }

  void add_limits() {
    for (const auto& limit : chart_.limits) {
      const Spec data{{"values", Spec::array({{{"x", x_(limit.value)}, {"label", text(limit.label)}}})}};
      const double at = place(limit.value);
      // A piece at each bar, none at the words above it.
      Spec pieces = Spec::array();
      for (std::size_t row = 0; row < chart_.bars.size(); ++row)
        pieces.push_back({{"row", row}, {"x", x_(limit.value)}});
      add({{"type", "tick"}, {"size", 26}, {"thickness", 2}, {"color", "var(--text)"}}, {{"x", field("x")}});
      layers_.back()["data"] = {{"values", std::move(pieces)}};
      layers_.push_back(
          {{"data", data},
           {"mark",
            {{"type", "text"},
             {"align", at < 0.3   ? "left"
                       : at > 0.7 ? "right"
                                  : "center"},
             {"baseline", "bottom"},
             {"fontWeight", 700}}},
           {"encoding", {{"x", field("x")}, {"y", {{"value", -3}}}, {"text", {{"field", "label"}}}}}});
    }
  }

  /// Words above each bar: side by side, each in half of the width, or on a narrow page in lines of their own
  /// (reports/html/charts.js makes the rows higher there).
  void add_words(const char* what, const char* align, Spec at, int weight, int narrow_offset) {
    add({{"type", "text"},
         {"align", align},
         {"yOffset", {{"expr", fmt::format("narrow ? {} : -10", narrow_offset)}}},
         {"limit", {{"expr", "narrow ? width : width / 2 - 4"}}},
         {"fontWeight", weight},
         {"stroke", "var(--card)"},
         {"strokeWidth", 4}},
        {{"x", {{"value", std::move(at)}}}, {"text", {{"field", what}}}});
  }

  const BarChart& chart_;
  Extent extent_;
  Channel x_;
  Spec layers_ = Spec::array();
};

}  // namespace

std::string chart_spec(const BarChart& chart) {
  return BarSpec(chart).write();
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
  return finished(
      {{"height", 34},
       {"data", {{"values", rows}}},
       {"layer",
        {{{"mark", {{"type", "rect"}, {"stroke", "var(--card)"}, {"strokeWidth", 1.5}}},
          {"encoding", {{"x", from}, {"x2", {{"field", "to"}}}, {"color", ink("ink")}, {"tooltip", tip}}}},
         {{"mark", {{"type", "text"}, {"fontWeight", 600}}},
          {"encoding", {{"x", field("middle")}, {"text", {{"field", "percent"}}}, {"color", ink("on")}}}}}}});
}

}  // namespace rackcast::reports

#include <array>

#include "reports/charts/chart_channel.hpp"

namespace rackcast::reports {
namespace {

using namespace spec;

constexpr int line_height = 320;                ///< CSS pixels
constexpr std::size_t most_marked_points = 30;  ///< of a line; more points hide it
constexpr std::size_t most_named_ticks = 9;     ///< more points than this: the axis chooses its ticks

Spec shown(const char* name, const std::string& title) {
  return {{"field", name}, {"type", "quantitative"}, {"title", title}, {"format", ",.4~r"}};
}

class LineSpec {
 public:
  explicit LineSpec(const Chart& chart)
      : chart_(chart), x_(chart.x, extent(true)), y_(chart.y, extent(false)), layers_(Spec::array()) {}

  std::string write() {
    if (!extent(true).drawable(chart_.x) || !extent(false).drawable(chart_.y)) {
      return {};
    }
    for (const auto& line : chart_.lines) add_line(line);
    add_mark();
    return finished({{"height", line_height}, {"layer", layers_}});
  }

 private:
  [[nodiscard]] Extent extent(bool along_x) const {
    Extent all;
    for (const auto& line : chart_.lines) {
      for (const auto& p : line.points) {
        for (const double value : along_x ? std::array{p.x, p.x} : std::array{p.low, p.high}) {
          all.include(along_x || !chart_.cut_above ? value : std::min(value, *chart_.cut_above));
        }
      }
    }
    return all;
  }

  [[nodiscard]] Spec encodings() const {
    Spec x = x_.encoding("x", false);
    const auto& first = chart_.lines.front();
    const bool counts = chart_.x.kind == Axis::Kind::count;  // of other quantities round numbers say more
    if (chart_.x.logarithmic && counts && !first.scattered && first.points.size() <= most_named_ticks) {
      x["axis"]["values"].clear();
      for (const auto& p : first.points) {
        x["axis"]["values"].push_back(x_(p.x));
      }
    }
    Spec colours = Spec::array();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) colours.push_back(colour(i));
    return {{"x", x}, {"y", vertical("y")}, {"color", by_line(std::move(colours))}};
  }

  [[nodiscard]] Spec vertical(const char* name) const {
    Spec out = y_.encoding(name, true);
    if (chart_.cut_above) out["scale"] = {{"domain", {0, y_(*chart_.cut_above)}}, {"nice", false}};
    return out;
  }

  /// What each line has of its own, by its name; the legend shows it.
  [[nodiscard]] Spec by_line(Spec range) const {
    Spec names = Spec::array();
    for (const auto& line : chart_.lines) names.push_back(text(line.name));
    return {{"field", "line"},  // a field, not a datum: of channels with one field Vega-Lite makes one legend
            {"type", "nominal"},
            {"title", nullptr},
            {"scale", {{"domain", std::move(names)}, {"range", std::move(range)}}}};
  }

  [[nodiscard]] Spec dashes() const {
    Spec out = Spec::array();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i)
      out.push_back(!chart_.lines[i].dashed ? Spec{1, 0} : i % 2 == 0 ? Spec{2, 4} : Spec{7, 5});
    return out;
  }

  void add_layer(Spec mark, const Spec& extra) {
    Spec encoding = encodings();
    encoding.update(extra);
    layers_.push_back({{"data", data_}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}});
  }

  void add_line(const Chart::Line& line) {
    if (line.points.empty()) {
      return;
    }
    bool interval = false, named = false;
    Spec rows = Spec::array();
    for (const auto& p : line.points) {
      rows.push_back({{"line", text(line.name)},
                      {"x", x_(p.x)},
                      {"y", y_(p.y)},
                      {"low", y_(p.low)},
                      {"high", y_(p.high)}});
      if (!p.name.empty()) {
        rows.back()["name"] = text(p.name);
      }
      interval = interval || p.low < p.high;
      named = named || !p.name.empty();
    }
    data_ = {{"values", std::move(rows)}};
    Spec range = vertical("low");
    Spec tips = {shown("x", x_.title()), shown("y", y_.title())};
    if (interval) {
      tips.insert(tips.end(), {shown("low", "5 %"), shown("high", "95 %")});
      const bool bars = line.scattered || line.points.size() == 1;  // a band needs two points
      Spec mark = bars ? Spec{{"type", "rule"}, {"strokeWidth", 2}, {"opacity", 0.6}}
                       : Spec{{"type", "area"}, {"opacity", 0.2}};
      if (chart_.cut_above) mark["clip"] = true;
      add_layer(std::move(mark), {{"y", range}, {"y2", {{"field", "high"}}}});
    }
    if (named) {
      tips.insert(tips.begin(), Spec{{"field", "name"}, {"title", ""}});
    }
    if (!line.scattered) {
      Spec dashed = Spec::object();
      if (std::ranges::any_of(chart_.lines, &Chart::Line::dashed)) dashed["strokeDash"] = by_line(dashes());
      add_layer({{"type", "line"}, {"strokeWidth", line.dashed ? 2 : 2.5}}, dashed);
    }
    if (!line.dashed && (line.scattered || line.points.size() <= most_marked_points)) {
      add_layer({{"type", "point"}, {"filled", true}, {"size", line.scattered ? 28 : 45}, {"opacity", 1}},
                {{"tooltip", tips}});
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
    // On the side of the line where it leaves room.
    const bool on_the_right = 2 * (found - points.begin()) >= std::ssize(points);
    const bool above = (points.back().y < points.front().y) != on_the_right;
    layers_.push_back({{"data", data},
                       {"mark",
                        {{"type", "text"},
                         {"align", on_the_right ? "right" : "left"},
                         {"dx", on_the_right ? -11 : 11},
                         {"dy", above ? -10 : 14},
                         {"stroke", "var(--card)"},
                         {"strokeWidth", 4},
                         {"fontWeight", 700}}},
                       {"encoding", labelled}});
  }

  const Chart& chart_;
  Channel x_, y_;
  Spec layers_, data_;
};

}  // namespace

std::string chart_spec(const Chart& chart) {
  return chart.lines.empty() ? std::string{} : LineSpec(chart).write();
}

}  // namespace rackcast::reports

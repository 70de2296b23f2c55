#include "reports/pages/scaling_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/blocks/html_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {
namespace {

struct Point {
  double gpus = 1;
  std::optional<double> measured, predicted;
  double low = 0, high = 0;
};

struct Curve {
  std::string system, title, source, unit, reason;
  std::vector<Point> points;

  [[nodiscard]] double least() const { return points.front().gpus; }
  [[nodiscard]] double most() const { return points.back().gpus; }
  [[nodiscard]] double top() const {
    double out = 0;
    for (const Point& p : points) out = std::max({out, p.measured.value_or(0), p.predicted ? p.high : 0.0});
    return out > 0 ? out : 1;
  }
};

Point read_point(const Json& json) {
  ObjectReader in{json};
  Point out;
  out.gpus = in.number("gpus", 1, 1e9);
  if (in.has("measured")) out.measured = in.number("measured", 0, 1e18);
  if (in.has("predicted")) {
    out.predicted = in.number("predicted", 0, 1e18);
    out.low = in.number("low", 0, 1e18);
    out.high = in.number("high", 0, 1e18);
  }
  in.finish();
  return out;
}

Curve read_curve(const Json& json) {
  ObjectReader in{json};
  Curve out;
  out.system = in.string("system");
  out.title = in.string("title");
  out.source = in.string("source");
  out.unit = in.string("unit");
  out.reason = in.string("reason");
  for (const Json& point : in.require("points").array()) out.points.push_back(read_point(point));
  in.finish();
  if (out.points.empty()) json.fail("a curve needs points");
  for (std::size_t i = 1; i < out.points.size(); ++i)
    if (out.points[i].gpus <= out.points[i - 1].gpus) json.fail("the points of a curve must ascend");
  return out;
}

std::vector<Curve> read_curves(const std::string& json_text, const std::string& name) {
  ObjectReader in{parse_json(json_text, name)};
  if (in.string("format") != "rackcast-scaling")
    throw Error{"this is not a document of scaling curves", Where{.file = name, .pointer = "/format"},
                "rackcast validate --curves DIR writes them"};
  (void)in.integer("version", 1, 1);
  std::vector<Curve> out;
  for (const Json& curve : in.require("curves").array()) out.push_back(read_curve(curve));
  in.finish();
  return out;
}

/// "SATURN V (2017)" -> "saturn-v-2017".
std::string file_name(const std::string& system) {
  std::string out;
  for (const char c : system) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += lower_case(c);
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return (out.empty() ? "system" : out) + ".svg";
}

constexpr double panel_width = 330, panel_height = 236, left = 58, right = 12, above = 46, below = 40;
constexpr int columns = 3;

/// 1, 2 or 5 times a power of ten: about five of them up to `top`.
double tick_of(double top) {
  const double raw = top / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= raw) return step * power;
  return 10 * power;
}

/// One curve: GPUs along the page as powers of two, the value of one GPU upwards from zero.
class Panel {
 public:
  Panel(const Curve& curve, double x, double y) : curve_{curve}, x_{x}, y_{y}, top_{1.08 * curve.top()} {}

  [[nodiscard]] std::string draw() const { return titles() + grid() + band() + predicted() + measured(); }

 private:
  [[nodiscard]] double across(double gpus) const {
    const double all = std::max(1e-9, std::log2(curve_.most() / curve_.least()));
    return x_ + left + (panel_width - left - right) * std::log2(gpus / curve_.least()) / all;
  }
  [[nodiscard]] double up(double value) const {
    return y_ + panel_height - below - (panel_height - above - below) * value / top_;
  }

  [[nodiscard]] std::string titles() const {
    // A panel is about 48 letters wide.
    std::string title = curve_.title;
    if (title.size() > 48) title = title.substr(0, 47) + "…";
    return fmt::format(R"(<text class="t" x="{:.1f}" y="{:.1f}">{}</text>)", x_ + 8, y_ + 20,
                       html_escape(title)) +
           fmt::format(R"(<text class="n" x="{:.1f}" y="{:.1f}">{}</text>)", x_ + 8, y_ + 36,
                       html_escape(curve_.unit));
  }

  [[nodiscard]] std::string grid() const {
    std::string out;
    const double step = tick_of(top_);
    for (int i = 0; i * step <= top_; ++i) {
      const double at = up(i * step);
      out += fmt::format(R"(<path class="g" d="M{:.1f},{:.1f}H{:.1f}"/>)", x_ + left, at,
                         x_ + panel_width - right);
      out += fmt::format(R"(<text class="n e" x="{:.1f}" y="{:.1f}">{}</text>)", x_ + left - 6, at + 4,
                         i * step < 1000 ? fmt::format("{:.4g}", i * step) : number_text(i * step));
    }
    // Numbers of GPUs, as many as there is room for.
    double free = x_;
    for (const Point& p : curve_.points) {
      const std::string words = count_text(static_cast<std::int64_t>(p.gpus));
      const double half = 3.6 * static_cast<double>(words.size()), at = across(p.gpus);
      if (at - half < free) continue;
      free = at + half + 6;
      out += fmt::format(R"(<text class="n m" x="{:.1f}" y="{:.1f}">{}</text>)", at,
                         y_ + panel_height - below + 16, words);
    }
    return out + fmt::format(R"(<text class="n m" x="{:.1f}" y="{:.1f}">GPUs</text>)",
                             x_ + (left + panel_width - right) / 2, y_ + panel_height - 8);
  }

  [[nodiscard]] std::string band() const {
    std::string upper, lower;
    for (const Point& p : curve_.points) {
      if (!p.predicted) continue;
      upper += fmt::format("{:.1f},{:.1f} ", across(p.gpus), up(p.high));
      lower = fmt::format("{:.1f},{:.1f} ", across(p.gpus), up(p.low)) + lower;
    }
    return upper.empty() ? "" : fmt::format(R"(<polygon class="b" points="{}"/>)", upper + lower);
  }

  [[nodiscard]] std::string predicted() const {
    std::string line;
    for (const Point& p : curve_.points)
      if (p.predicted) line += fmt::format("{:.1f},{:.1f} ", across(p.gpus), up(*p.predicted));
    if (line.empty())
      return fmt::format(R"(<text class="n" x="{:.1f}" y="{:.1f}">no prediction</text>)", x_ + left + 8,
                         y_ + above + 14);
    return fmt::format(R"(<polyline class="p" points="{}"/>)", line);
  }

  [[nodiscard]] std::string measured() const {
    std::string out;
    for (const Point& p : curve_.points)
      if (p.measured)
        out += fmt::format(R"(<circle class="d" cx="{:.1f}" cy="{:.1f}" r="3.6"/>)", across(p.gpus),
                           up(*p.measured));
    return out;
  }

  const Curve& curve_;
  double x_, y_, top_;
};

constexpr std::string_view page_style =
    "text{font:12px 'DejaVu "
    "Sans',Arial,sans-serif;fill:#1f2937}.h{font-size:17px;font-weight:bold}.t{font-weight:bold;"
    "font-size:11px}.n{font-size:11px;fill:#6b7280}.e{text-anchor:end}.m{text-anchor:middle}.g{stroke:#"
    "e5e7eb;fill:none}"
    ".b{fill:#bfdbfe;opacity:.6}.p{stroke:#1d4ed8;stroke-width:2;fill:none}.d{fill:#c2410c}";

std::string drawing(const std::string& system, const std::vector<const Curve*>& curves) {
  const auto count = static_cast<int>(curves.size());
  const double head = 52;
  const int rows = (count + columns - 1) / columns;
  const double width = panel_width * std::min(std::max(count, 2), columns),
               height = head + panel_height * rows;
  std::string body = fmt::format(R"(<text class="h" x="8" y="24">{}</text>)", html_escape(system));
  body += R"(<path class="p" d="M8,40H32"/><text class="n" x="38" y="44">predicted, 90 % interval</text>)";
  body += R"(<circle class="d" cx="204" cy="40" r="3.6"/><text class="n" x="214" y="44">measured</text>)";
  for (int i = 0; i < count; ++i) {
    const int row = i / columns;
    body +=
        Panel{*curves[static_cast<std::size_t>(i)], panel_width * (i % columns), head + panel_height * row}
            .draw();
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">"
      "<title>{2}: scaling, predicted and measured</title><style>{3}</style>"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{4}</svg>\n",
      width, height, html_escape(system), page_style, body);
}

/// A cell of a Markdown table.
std::string cell(std::string text) {
  std::string out;
  for (const char c : text) out += c == '|' || c == '\n' ? ' ' : c;
  return out;
}

std::string error_text(const Point& p) {
  if (!p.measured || !p.predicted) return "";
  const double error = 100 * (*p.predicted / *p.measured - 1);
  return fmt::format("{}{:.0f} %", std::round(error) > 0 ? "+" : "", error);
}

/// "16: +26 %, 32: +28 %".
std::string errors_of(const Curve& curve) {
  std::string out;
  for (const Point& p : curve.points)
    if (p.measured && p.predicted)
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", count_text(static_cast<std::int64_t>(p.gpus)),
                         error_text(p));
  if (!out.empty()) return out;
  if (!curve.reason.empty()) return "no prediction: " + curve.reason;
  return "nothing published; " + fmt::format("{} on {} GPUs",
                                             percent_text(curve.points.back().predicted.value_or(0)),
                                             count_text(static_cast<std::int64_t>(curve.most())));
}

std::string page(const std::map<std::string, std::vector<const Curve*>>& systems) {
  std::string out =
      "# Scaling, predicted and measured\n\n"
      "Written by `rackcast validate --cases tests/validation/cases --curves docs/accuracy/scaling`.\n"
      "Points are published rates or efficiencies of one GPU. Lines are what the model predicts from the\n"
      "system and the workload alone. Bands are its 90 % interval. Clusters of the catalogue run on their\n"
      "own network and start at one node. Errors are given by number of GPUs.\n";
  for (const auto& [system, curves] : systems) {
    out += fmt::format("\n## {}\n\n![{}]({})\n\n| curve | unit | error |\n|---|---|---|\n", system, system,
                       file_name(system));
    for (const Curve* curve : curves)
      out +=
          fmt::format("| {} | {} | {} |\n", cell(curve->title), cell(curve->unit), cell(errors_of(*curve)));
  }
  return out;
}

}  // namespace

std::vector<NamedFile> scaling_files(const std::string& json_text, const std::string& name) {
  const std::vector<Curve> curves = read_curves(json_text, name);
  std::map<std::string, std::vector<const Curve*>> systems;
  for (const Curve& curve : curves) systems[curve.system].push_back(&curve);
  std::vector<NamedFile> out{{"README.md", page(systems)}};
  for (const auto& [system, of] : systems) out.push_back({file_name(system), drawing(system, of)});
  return out;
}

}  // namespace rackcast::reports

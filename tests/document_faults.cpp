#include "tests/document_faults.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

namespace rackcast {
namespace {

using nlohmann::json;

constexpr double kRounding = 1e-9;  ///< of sums and quotients of doubles, relative
/// What a report of a drawing places: pixels left of the page's edge are no lengths.
constexpr std::string_view kShapes = "shapes";

class Check {
 public:
  explicit Check(std::vector<std::string>& faults) : faults_(faults) {}

  void value(const json& v, const std::string& at) {
    if (v.is_object()) {
      object(v, at);
    } else if (v.is_array()) {
      for (std::size_t i = 0; i < v.size(); ++i) value(v[i], fmt::format("{}/{}", at, i));
    } else if (v.is_number()) {
      if (!std::isfinite(v.get<double>())) fault(at, "is not finite");
      if (v.get<double>() < 0) fault(at, fmt::format("is {}, and nothing here is negative", v.dump()));
    } else if (v.is_string()) {
      static const std::regex none{R"((^|[^A-Za-z0-9_-])-?(nan|inf)([^A-Za-z0-9_-]|$))"};
      if (std::regex_search(v.get_ref<const std::string&>(), none))
        fault(at, "holds a number that is none: " + v.dump());
    }
  }

 private:
  void fault(const std::string& at, const std::string& what) { faults_.push_back(at + " " + what); }

  void object(const json& o, const std::string& at) {
    for (const auto& [key, v] : o.items()) {
      const std::string here = at + "/" + key;
      if (key == "scenario" && at.empty()) continue;  // the user's own words
      if (key == kShapes) continue;
      value(v, here);
    }
    intervals(o, at);
    if (o.contains("points") && o.contains("mean")) return;
    sums(o, at);
  }

  /// Whole numbers are written without a point and are of another type.
  static std::optional<double> amount(const json& o, const std::string& key) {
    const auto it = o.find(key);
    if (it == o.end() || !it->is_number()) return std::nullopt;
    return it->get<double>();
  }

  void ordered(const json& o, const std::string& at, const std::string& low, const std::string& middle,
               const std::string& high) {
    if (!o.contains(low) || !o.contains(middle) || !o.contains(high)) return;
    auto l = amount(o, low), m = amount(o, middle), h = amount(o, high);
    if (!l && !m && !h) return;                           // not known, all three
    if (low.find("latency") != std::string::npos && l) {  // of a queue that grows without end: null
      m = m.value_or(std::numeric_limits<double>::max());
      h = h.value_or(std::numeric_limits<double>::max());
    }
    if (!l || !m || !h) return fault(at, fmt::format("knows only a part of {}, {}, {}", low, middle, high));
    const double slack = kRounding * std::abs(*m);
    if (!(*l <= *m + slack && *m <= *h + slack))
      fault(at, fmt::format("has {} {} <= {} {} <= {} {}, which is not so", low, *l, middle, *m, high, *h));
  }

  void intervals(const json& o, const std::string& at) {
    for (const char* middle : {"value", "nodes", "samples_per_s"}) ordered(o, at, "low", middle, "high");
    ordered(o, at, "low_s", "seconds", "high_s");
    ordered(o, at, "least_w", "mean_w", "most_w");
    ordered(o, at, "break_even_low", "break_even_utilisation", "break_even_high");
    // "p50_low_s", "p50_s", "p50_high_s"
    for (const auto& [key, v] : o.items()) {
      const std::size_t low = key.find("_low_");
      if (low == std::string::npos) continue;
      const std::string name = key.substr(0, low), unit = key.substr(low + 5);
      ordered(o, at, key, name + "_" + unit, name + "_high_" + unit);
    }
  }

  void adds_up(double parts, double whole, const std::string& at, const std::string& what) {
    if (std::abs(parts - whole) > 1e3 * kRounding * std::max(std::abs(parts), std::abs(whole)))
      fault(at, fmt::format("{} add up to {} and not to {}", what, parts, whole));
  }

  void sums(const json& o, const std::string& at) {
    const auto of_rows = [&](const json& rows, const char* key) {
      double sum = 0;
      for (const json& row : rows) sum += amount(row, key).value_or(0);
      return sum;
    };
    if (o.contains("parts") && amount(o, "total_s"))
      adds_up(of_rows(o["parts"], "seconds"), *amount(o, "total_s"), at, "parts of the step");
    if (o.contains("bill") && amount(o, "bill_total_usd"))
      adds_up(of_rows(o["bill"], "total_usd"), *amount(o, "bill_total_usd"), at, "rows of the bill");
    if (o.contains("unit_price_usd") && amount(o, "unit_price_usd") && amount(o, "total_usd"))
      adds_up(*amount(o, "unit_price_usd") * amount(o, "quantity").value_or(0), *amount(o, "total_usd"), at,
              "quantity and price");
    if (o.contains("depreciation_usd") && amount(o, "total_usd")) {
      double sum = 0;
      for (const char* key :
           {"depreciation_usd", "interest_usd", "energy_usd", "space_usd", "support_usd", "staff_usd"})
        sum += amount(o, key).value_or(0);
      adds_up(sum, *amount(o, "total_usd"), at, "parts of the cost");
    }
    if (o.contains("goodput") && o.contains("shares") && o["shares"].is_array())
      adds_up(of_rows(o["shares"], "fraction"), 1, at, "shares of the time");
  }

  std::vector<std::string>& faults_;
};

}  // namespace

std::vector<std::string> document_faults(std::string_view json_text) {
  std::vector<std::string> faults;
  Check{faults}.value(json::parse(json_text), "");
  return faults;
}

}  // namespace rackcast

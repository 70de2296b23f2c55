#include <array>
#include <cmath>

#include "reports/format.hpp"
#include "reports/html_chart.hpp"

namespace rackcast::reports {
namespace {

struct Named {
  double value;
  const char* text;
};

constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
/// Times that people think in, about a factor of 2 to 5 apart.
constexpr std::array<Named, 28> times{{{1e-3, "1 ms"},
                                       {1e-2, "10 ms"},
                                       {1e-1, "0.1 s"},
                                       {1, "1 s"},
                                       {10, "10 s"},
                                       {minute, "1 min"},
                                       {5 * minute, "5 min"},
                                       {15 * minute, "15 min"},
                                       {hour, "1 h"},
                                       {3 * hour, "3 h"},
                                       {6 * hour, "6 h"},
                                       {12 * hour, "12 h"},
                                       {day, "1 day"},
                                       {2 * day, "2 days"},
                                       {4 * day, "4 days"},
                                       {7 * day, "1 week"},
                                       {14 * day, "2 weeks"},
                                       {30.4375 * day, "1 month"},
                                       {year / 6, "2 months"},
                                       {year / 4, "3 months"},
                                       {year / 2, "6 months"},
                                       {year, "1 year"},
                                       {2 * year, "2 years"},
                                       {5 * year, "5 years"},
                                       {10 * year, "10 years"},
                                       {20 * year, "20 years"},
                                       {50 * year, "50 years"},
                                       {100 * year, "100 years"}}};

constexpr std::size_t most_ticks = 9;

/// Every other tick from the top until few enough are left.
std::vector<Tick> thinned(std::vector<Tick> ticks) {
  while (ticks.size() > most_ticks) {
    std::vector<Tick> kept;
    for (std::size_t i = 0; i < ticks.size(); i += 2) {
      kept.push_back(ticks[i]);
    }
    ticks = std::move(kept);
  }
  return ticks;
}

}  // namespace

std::vector<Tick> log_ticks(Chart::Scale scale, double low, double high) {
  std::vector<Tick> ticks;
  if (scale == Chart::Scale::seconds) {
    for (const Named& time : times) {
      if (time.value >= low && time.value <= high) {
        ticks.push_back({time.value, time.text});
      }
    }
    return thinned(std::move(ticks));
  }
  if (!(low > 0) || !std::isfinite(high)) {
    return {};
  }
  for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (decade * digit >= low && decade * digit <= high) {
        ticks.push_back({decade * digit, number_text(decade * digit)});
      }
    }
  }
  return thinned(std::move(ticks));
}

}  // namespace rackcast::reports

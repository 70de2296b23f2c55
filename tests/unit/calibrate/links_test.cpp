#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "calibrate/fit/link_fit.hpp"
#include "calibrate/tables/json_text.hpp"
#include "models/collectives/fitted_curves.hpp"
#include "models/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

using namespace rackcast;

namespace {

const std::string links_text = R"({
  "efficiency": {
    "fast+nvswitch": {
      "value": 0.5,
      "ends": 0.1,
      "source": "a curve"
    }
  },
  "nvls": {
    "fast": {
      "value": 0.5
    }
  },
  "protocols": {
    "fast+nvswitch": {
      "Simple": {
        "start": "1 us",
        "hop": "1 us",
        "factor": 1
      },
      "LL128": {
        "start": "1 us",
        "hop": "1 us",
        "factor": 1
      },
      "LL": {
        "start": "1 us",
        "hop": "1 us"
      },
      "NVLS": {
        "start": "1 us"
      }
    },
    "other": {
      "Simple": {
        "start": "7 us",
        "hop": "7 us",
        "factor": 1
      }
    }
  }
})";

struct Point {
  double gpus, bytes;
};

/// Of n GPUs over links of 100 GB/s: short messages take LL, longer ones LL128 and Simple in a ring, the
/// longest of eight GPUs NVLS.
double time_of(const Json& links, const Point& at) {
  const double steps = 2 * (at.gpus - 1);
  const bool nvls = at.bytes > 500e6 && at.gpus > 4;
  const char* name = nvls ? "NVLS" : at.bytes > 10e6 ? "Simple" : at.bytes > 1e5 ? "LL128" : "LL";
  const Json& p = links.require("protocols").require("fast+nvswitch").require(name);
  const auto seconds = [&p](const char* key) {
    return parse_quantity<Duration>(p.require(key).string()).base();
  };
  const Json& entry = links.require("efficiency").require("fast+nvswitch");
  const double rate = 100e9 * entry.require("value").number(), ends = entry.require("ends").number();
  if (nvls)
    return seconds("start") + at.bytes * (1 + 1 / at.gpus) /
                                  (rate * links.require("nvls").require("fast").require("value").number());
  const Json* factor = p.find("factor");
  return seconds("start") + steps * seconds("hop") +
         at.bytes * (steps / at.gpus + ends) / (rate * (factor ? factor->number() : 0.5));
}

/// "4 1e6" is a point.
Point point_of(const std::string& name) {
  return {std::stod(name), std::stod(name.substr(name.find(' ')))};
}

LinkTask curve() {
  LinkTask task{"fast+nvswitch", {}};
  for (const char* gpus : {"2", "4", "8"})
    for (const char* bytes : {"1e3", "2e3", "4e3", "8e3", "16e3", "32e3", "1e6", "2e6", "4e6", "8e6", "16e6",
                              "64e6", "256e6", "1e9", "2e9", "4e9"})
      task.cases.push_back(std::string{gpus} + " " + bytes);
  return task;
}

Json truth() {
  std::string text = links_text;
  const auto set = [&text](const std::string& section, const char* object, const char* key,
                           const char* value) {
    const TextSpan all{0, text.size()};
    const TextSpan link = object_in(text, "f", object_in(text, "f", all, section),
                                    section == "nvls" ? "fast" : "fast+nvswitch");
    replace_member(text, "f", *object ? object_in(text, "f", link, object) : link, key, value);
  };
  set("efficiency", "", "value", "0.8");
  set("efficiency", "", "ends", "0.4");
  set("nvls", "", "value", "0.75");
  set("protocols", "LL", "start", "\"6 us\"");
  set("protocols", "LL", "hop", "\"0.8 us\"");
  set("protocols", "NVLS", "start", "\"30 us\"");
  set("protocols", "Simple", "start", "\"15 us\"");
  set("protocols", "Simple", "hop", "\"4 us\"");
  set("protocols", "LL128", "start", "\"12 us\"");
  set("protocols", "LL128", "hop", "\"2 us\"");
  set("protocols", "LL128", "factor", "0.7");
  return parse_json(text, "truth");
}

}  // namespace

TEST_CASE("what protocols cost is found again in curves made of it, and nothing else is touched") {
  const Json real = truth();
  const LinkResiduals residuals = [&](const Json& links, const std::vector<std::string>& names) {
    std::vector<double> out;
    for (const std::string& name : names)
      out.push_back(std::log(time_of(real, point_of(name)) / time_of(links, point_of(name))));
    return out;
  };
  const LinkFits fits = fit_links(links_text, {curve()}, residuals);
  for (const double residual : fits.links.at(0).residuals) CHECK(std::abs(residual) < 0.02);
  const Json found = parse_json(fits.text, "found");
  const auto share = [&found](const char* section, const char* link, const char* key) {
    return found.require(section).require(link).require(key).number();
  };
  CHECK(share("efficiency", "fast+nvswitch", "value") == doctest::Approx(0.8).epsilon(0.02));
  CHECK(share("efficiency", "fast+nvswitch", "ends") == doctest::Approx(0.4).epsilon(0.05));
  CHECK(share("nvls", "fast", "value") == doctest::Approx(0.75).epsilon(0.05));
  const Json& protocols = found.require("protocols").require("fast+nvswitch");
  CHECK(protocols.require("LL128").require("factor").number() == doctest::Approx(0.7).epsilon(0.05));
  CHECK(protocols.require("Simple").require("factor").number() == 1);
  CHECK(parse_quantity<Duration>(protocols.require("LL").require("hop").string()).base() ==
        doctest::Approx(0.8e-6).epsilon(0.05));
  CHECK(fits.text.find("\"start\": \"7 us\"") != std::string::npos);
  CHECK(fits.text.find("\"source\": \"a curve\"") != std::string::npos);
}

TEST_CASE("who measured ten times as many points does not count ten times as much") {
  const Json real = truth();
  LinkTask task = curve();
  const std::size_t each = task.cases.size();
  // One source measures the truth once, the other twice as long times ten times over.
  const std::vector<std::string> points = task.cases;
  task.measured_by.assign(each, "once");
  for (int i = 0; i < 10; ++i) {
    task.cases.insert(task.cases.end(), points.begin(), points.end());
    task.measured_by.resize(task.cases.size(), "often");
  }
  const LinkResiduals residuals = [&](const Json& links, const std::vector<std::string>& names) {
    std::vector<double> out;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double slower = names.size() > each && i >= each ? 2 : 1;
      out.push_back(
          std::log(slower * time_of(real, point_of(names[i])) / time_of(links, point_of(names[i]))));
    }
    return out;
  };
  const auto long_message = [](const LinkFits& fits) {
    return time_of(parse_json(fits.text, "f"), {4, 1e9});
  };
  const double alike = long_message(fit_links(links_text, {task}, residuals));
  task.measured_by.clear();
  const double by_points = long_message(fit_links(links_text, {task}, residuals));
  const double once = time_of(real, {4, 1e9});
  CHECK(alike < 1.8 * once);
  CHECK(by_points > 1.9 * once);
}

TEST_CASE("a link without a number that is fitted is an error") {
  std::string text = links_text;
  text.replace(text.find("\"hop\""), 5, "\"hip\"");
  const LinkResiduals none = [](const Json&, const std::vector<std::string>& names) {
    return std::vector<double>(names.size(), 0.0);
  };
  CHECK_THROWS_AS((void)fit_links(text, {curve()}, none), Error);
  text = links_text;
  text.replace(text.rfind("\"factor\"", text.find("\"LL\"")), 8, "\"fuctor\"");
  CHECK_THROWS_AS((void)fit_links(text, {curve()}, none), Error);
  CHECK_THROWS_AS((void)fit_links("{}", {curve()}, none), Error);
  CHECK_THROWS_AS((void)fit_links("", {curve()}, none), Error);
  CHECK_THROWS_AS((void)fit_links(links_text, {{"slow", {"2 1e6"}}}, none), Error);
}

TEST_CASE("the curves behind the shipped links are named") {
  CHECK(fitted_curves().size() > 3);
  CHECK(curves_of_links().size() > fitted_curves().size());
  for (const FittedCurve& curve : curves_of_links()) {
    CAPTURE(curve.series);
    CHECK(curve.gpus > 1);
    CHECK(model_data_text("collectives/links.json").find("\"" + curve.link + "\"") != std::string::npos);
  }
}

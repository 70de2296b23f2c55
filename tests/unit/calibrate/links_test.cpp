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
    "fast": {
      "value": 0.5,
      "source": "a curve"
    }
  },
  "protocols": {
    "fast": {
      "Simple": {
        "start": "1 us",
        "hop": "1 us",
        "factor": 1
      },
      "LL128": {
        "start": "1 us",
        "hop": "1 us",
        "factor": 1
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

/// Of n GPUs in a ring over links of 100 GB/s; short messages take LL128.
double time_of(const Json& links, const Point& at) {
  const double steps = 2 * (at.gpus - 1);
  const bool simple = at.bytes > 10e6;
  const Json& p = links.require("protocols").require("fast").require(simple ? "Simple" : "LL128");
  const auto seconds = [&p](const char* key) {
    return parse_quantity<Duration>(p.require(key).string()).base();
  };
  const double rate = 100e9 * links.require("efficiency").require("fast").require("value").number();
  return seconds("start") + steps * seconds("hop") +
         at.bytes * steps / at.gpus / (rate * p.require("factor").number());
}

/// "4 1e6" is a point.
Point point_of(const std::string& name) {
  return {std::stod(name), std::stod(name.substr(name.find(' ')))};
}

LinkTask curve() {
  LinkTask task{"fast", {}};
  for (const char* gpus : {"2", "4", "8"})
    for (const char* bytes : {"1e6", "2e6", "4e6", "8e6", "16e6", "64e6", "256e6", "1e9"})
      task.cases.push_back(std::string{gpus} + " " + bytes);
  return task;
}

Json truth() {
  std::string text = links_text;
  const auto set = [&text](const char* section, const char* object, const char* key, const char* value) {
    const TextSpan all{0, text.size()};
    const TextSpan link = object_in(text, "f", object_in(text, "f", all, section), "fast");
    replace_member(text, "f", *object ? object_in(text, "f", link, object) : link, key, value);
  };
  set("efficiency", "", "value", "0.8");
  set("protocols", "Simple", "start", "\"20 us\"");
  set("protocols", "Simple", "hop", "\"4 us\"");
  set("protocols", "LL128", "start", "\"12 us\"");
  set("protocols", "LL128", "hop", "\"2 us\"");
  set("protocols", "LL128", "factor", "0.7");
  return parse_json(text, "truth");
}

}  // namespace

TEST_CASE("what protocols cost is found again in curves made of it, and nothing else is touched") {
  const Json real = truth();
  const LinkFits fits = fit_links(links_text, {curve()}, [&](const Json& links, const std::string& name) {
    return std::log(time_of(real, point_of(name)) / time_of(links, point_of(name)));
  });
  for (const double residual : fits.links.at(0).residuals) CHECK(std::abs(residual) < 0.02);
  const Json found = parse_json(fits.text, "found");
  CHECK(found.require("efficiency").require("fast").require("value").number() ==
        doctest::Approx(0.8).epsilon(0.01));
  const Json& ll128 = found.require("protocols").require("fast").require("LL128");
  CHECK(ll128.require("factor").number() == doctest::Approx(0.7).epsilon(0.05));
  CHECK(found.require("protocols").require("fast").require("Simple").require("factor").number() == 1);
  CHECK(fits.text.find("\"start\": \"7 us\"") != std::string::npos);
  CHECK(fits.text.find("\"source\": \"a curve\"") != std::string::npos);
}

TEST_CASE("a link without a number that is fitted is an error") {
  std::string text = links_text;
  text.replace(text.find("\"hop\""), 5, "\"hip\"");
  const LinkResidual none = [](const Json&, const std::string&) {
    return 0.0;
  };
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

#include "calibrate/measure/experiment.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// A clock that only samples move.
struct FakeMachine {
  double now = 0;
  int samples = 0;
  int stop_after = 1'000'000;
  std::vector<std::string> order;
  std::vector<Progress> progress;

  MeasureHooks hooks() {
    return {[this] { return now; }, [this] { return samples >= stop_after; },
            [this](const Progress& p) {
              progress.push_back(p);
            }};
  }
};

class FakeTrial : public Trial {
 public:
  FakeTrial(FakeMachine& machine, std::vector<double> times) : machine_(machine), times_(std::move(times)) {}
  double sample() override {
    const double t = times_[at_++ % times_.size()];
    machine_.now += t;
    ++machine_.samples;
    return t;
  }

 private:
  FakeMachine& machine_;
  std::vector<double> times_;
  std::size_t at_ = 0;
};

Experiment experiment(FakeMachine& machine, const std::string& id, std::vector<double> times) {
  Experiment e;
  e.about.id = id;
  e.about.amount_unit = "calls";
  e.prepare = [&machine, id, times] {
    machine.order.push_back(id);
    return std::make_unique<FakeTrial>(machine, times);
  };
  return e;
}

TEST_CASE("interrupted before the first sample there is no result to call wrong") {
  struct Unready : Trial {
    double sample() override { return 1; }
    std::string verify() override { return "0 instead of 5"; }
    [[nodiscard]] bool verifies() const override { return true; }
  };
  bool interrupted = false;
  Experiment e;
  e.about.id = "a";
  e.prepare = [&] {
    interrupted = true;  // while its data are made
    return std::make_unique<Unready>();
  };
  const auto out = measure({e}, {.budget = Duration{100}},
                           {[] { return 0.0; },
                            [&] {
                              return interrupted;
                            }});
  CHECK(out.measurements.empty());
  CHECK_FALSE(out.complete);
  REQUIRE(out.not_measured.size() == 1);
  CHECK(out.not_measured[0].reason == "interrupted");
}

TEST_CASE("steady samples stop on confidence, with the fewest samples") {
  FakeMachine machine;
  const auto out = measure({experiment(machine, "a", {0.1})}, {.budget = Duration{100}}, machine.hooks());
  REQUIRE(out.measurements.size() == 1);
  CHECK(out.measurements[0].stop == SampleEnd::confidence);
  CHECK(out.measurements[0].samples.size() == 7);
  CHECK(out.measurements[0].warm_up == 2);
  CHECK(out.complete);
}

TEST_CASE("noise stops on the number of samples, slowness on time") {
  FakeMachine machine;
  const StopRule rule{.least_samples = 7, .most_samples = 20, .relative_width = 0.01};
  auto out = measure({experiment(machine, "noisy", {0.1, 0.2, 0.3})},
                     {.budget = Duration{1000}, .stop = rule}, machine.hooks());
  CHECK(out.measurements[0].stop == SampleEnd::samples);
  CHECK(out.measurements[0].samples.size() == 20);
  FakeMachine slow;
  out = measure({experiment(slow, "slow", {6})}, {.budget = Duration{10}}, slow.hooks());
  CHECK(out.measurements[0].stop == SampleEnd::time);
  CHECK_FALSE(out.measurements[0].samples.empty());
}

TEST_CASE("when time runs out the rest is listed") {
  FakeMachine machine;
  std::vector<Experiment> all;
  for (int i = 0; i < 10; ++i) all.push_back(experiment(machine, std::to_string(i), {2, 3}));
  const auto out = measure(all, {.budget = Duration{20}}, machine.hooks());
  CHECK(out.measurements.size() + out.not_measured.size() == 10);
  CHECK(out.measurements.size() >= 2);
  CHECK_FALSE(out.not_measured.empty());
  CHECK(out.not_measured[0].reason == "time ran out");
  CHECK_FALSE(out.complete);
}

TEST_CASE("an interrupt keeps what was measured") {
  FakeMachine machine;
  machine.stop_after = 9 + 5;  // 2 + 7 of the first, 2 + 3 of the second
  const auto out = measure(
      {experiment(machine, "a", {0.1}), experiment(machine, "b", {0.1}), experiment(machine, "c", {0.1})},
      {.budget = Duration{100}}, machine.hooks());
  REQUIRE(out.measurements.size() == 2);
  CHECK(out.measurements[1].stop == SampleEnd::interrupted);
  CHECK(out.measurements[1].samples.size() == 3);
  REQUIRE(out.not_measured.size() == 1);
  CHECK(out.not_measured[0].reason == "interrupted");
  CHECK_FALSE(out.complete);
}

TEST_CASE("the order is shuffled by the seed, and the same for the same seed") {
  const auto order_of = [](std::uint64_t seed) {
    FakeMachine machine;
    std::vector<Experiment> all;
    for (int i = 0; i < 12; ++i) all.push_back(experiment(machine, std::to_string(i), {0.1}));
    measure(all, {.budget = Duration{1000}, .seed = seed}, machine.hooks());
    return machine.order;
  };
  CHECK(order_of(1) == order_of(1));
  CHECK(order_of(1) != order_of(2));
  auto sorted = order_of(1);
  CHECK_FALSE(std::ranges::is_sorted(sorted));
}

TEST_CASE("an experiment that fails is listed and the others go on") {
  FakeMachine machine;
  Experiment broken = experiment(machine, "broken", {0.1});
  broken.prepare = []() -> std::unique_ptr<Trial> {
    throw Error{"no such unit"};
  };
  const auto out = measure({broken, experiment(machine, "zero", {0}), experiment(machine, "fine", {0.1})},
                           {.budget = Duration{100}}, machine.hooks());
  REQUIRE(out.measurements.size() == 1);
  CHECK(out.measurements[0].id == "fine");
  CHECK(out.not_measured.size() == 2);
  CHECK(out.complete);
}

TEST_CASE("a wrong result is no measurement") {
  struct WrongTrial : Trial {
    double sample() override { return 0.1; }
    [[nodiscard]] bool verifies() const override { return true; }
    std::string verify() override { return "1 instead of 2"; }
  };
  FakeMachine machine;
  Experiment e = experiment(machine, "wrong", {0.1});
  e.prepare = [] {
    return std::make_unique<WrongTrial>();
  };
  const auto out = measure({e}, {.budget = Duration{10}}, machine.hooks());
  CHECK(out.measurements.empty());
  REQUIRE(out.not_measured.size() == 1);
  CHECK(out.not_measured[0].reason.find("1 instead of 2") != std::string::npos);
}

TEST_CASE("conditions before and after become one") {
  FakeMachine machine;
  Experiment e = experiment(machine, "a", {0.1});
  int reads = 0;
  e.conditions = [&reads] {
    Conditions c;
    ++reads;  // idle, before, after
    c.load = reads == 1 ? 0.5 : 2;
    c.clock_mhz = reads < 3 ? 2000 : 1500;
    c.power_w = 100 * reads;
    if (reads == 3) c.throttle = {"power cap"};
    return c;
  };
  const auto out = measure({e}, {.budget = Duration{10}}, machine.hooks());
  const Conditions& c = out.measurements[0].conditions;
  CHECK(*c.load == 0.5);
  CHECK(*c.clock_mhz == 1750);   // (2000 + 1500) / 2
  CHECK(*c.clock_drop == 0.25);  // 1 - 1500/2000
  CHECK(*c.power_w == 300);
  CHECK(c.throttle == std::vector<std::string>{"power cap"});
}

TEST_CASE("progress tells what is under way and never a negative rest") {
  FakeMachine machine;
  measure({experiment(machine, "a", {30}), experiment(machine, "b", {30})}, {.budget = Duration{10}},
          machine.hooks());
  REQUIRE(machine.progress.size() == 3);
  CHECK(machine.progress[0].total == 2);
  CHECK(machine.progress[2].current.empty());
  for (const Progress& p : machine.progress) CHECK(p.left >= Duration{0});
}

TEST_CASE("short calls are repeated until the clock can tell") {
  CHECK(repeats_for(1e-3, 2e-3) == 2);
  CHECK(repeats_for(1, 2e-3) == 1);
  CHECK(repeats_for(0, 2e-3) == 1000);
}

}  // namespace
}  // namespace rackcast

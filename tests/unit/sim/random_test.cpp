#include "sim/base/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace rackcast;

TEST_CASE("a stream repeats with its seed and name") {
  RandomStream a{7, "loader/3"};
  RandomStream b{7, "loader/3"};
  for (int i = 0; i < 100; ++i) CHECK(a.next() == b.next());
}

TEST_CASE("the numbers are the same on every machine") {
  // Worked out apart from this code: FNV-1a of the name, splitmix64 and xoshiro256** as published.
  RandomStream stream{42, "failures"};
  CHECK(stream.next() == 0xc3bd3400b7d83d54u);
  CHECK(stream.next() == 0x48fdd3e71bd2105fu);
}

TEST_CASE("other names and other seeds give other numbers") {
  RandomStream a{7, "loader/3"};
  RandomStream b{7, "loader/4"};
  RandomStream c{8, "loader/3"};
  const auto first = a.next();
  CHECK(first != b.next());
  CHECK(first != c.next());
}

TEST_CASE("uniform numbers stay in their range and fill it") {
  RandomStream stream{1, "u"};
  double sum = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = stream.uniform();
    sum += u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  CHECK(least >= 0);
  CHECK(most < 1);
  CHECK(least < 1e-3);
  CHECK(most > 1 - 1e-3);
  CHECK(sum / 100000 == doctest::Approx(0.5).epsilon(0.01));  // standard error 0.0009
  const double wide = stream.uniform(-3, 5);
  CHECK((wide >= -3 && wide < 5));
}

TEST_CASE("below(n) gives each number its share") {
  RandomStream stream{1, "b"};
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts[stream.below(6)];
  for (const int count : counts) CHECK(std::abs(count - 10000) < 500);  // five standard deviations are 456
  CHECK(stream.below(1) == 0);
}

TEST_CASE("normal and exponential numbers have their mean and spread") {
  RandomStream stream{1, "n"};
  double sum = 0;
  double squares = 0;
  double waits = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
    const double wait = stream.exponential(4.0);
    CHECK_UNARY(wait >= 0);
    waits += wait;
  }
  CHECK(std::abs(sum / n) < 0.02);                         // standard error 0.0032
  CHECK(squares / n == doctest::Approx(1).epsilon(0.03));  // standard error 0.0045
  CHECK(waits / n == doctest::Approx(4).epsilon(0.03));    // standard error 0.0126
}

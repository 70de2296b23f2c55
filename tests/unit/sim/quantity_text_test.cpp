#include "sim/units/quantity_text.hpp"

#include <doctest/doctest.h>

#include <clocale>

#include "sim/base/error.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

TEST_CASE("the unit decides the factor and the dimension") {
  CHECK(parse_quantity<Bytes>("104 TB").base() == doctest::Approx(104e12));
  CHECK(parse_quantity<Bytes>("5EB").base() == doctest::Approx(5e18));
  CHECK(parse_quantity<Bandwidth>("1.5 TB/h").base() == doctest::Approx(1.5e12 / 3600));
  CHECK(parse_quantity<Duration>("7 days").base() == 604800);
  CHECK(parse_quantity<Duration>("1 year").base() == 365.25 * 86400);
  CHECK(parse_quantity<Duration>("2 min").base() == 120);
  CHECK(parse_quantity<Power>("35 kW").base() == 35e3);
  CHECK(parse_quantity<EnergyPrice>("0.12 USD/kWh").base() == doctest::Approx(0.12 / 3.6e6));
  CHECK(parse_quantity<FlopRate>("125 TFLOP/s").base() == 125e12);
  CHECK(parse_quantity<FlopRate>("1979 TOP/s").base() == 1979e12);
  CHECK(parse_quantity<Energy>("2 kW*h").base() == doctest::Approx(7.2e6));
  CHECK(parse_quantity<Area>("4 m2").base() == 4);
  CHECK(parse_quantity<Frequency>("5 1/h").base() == doctest::Approx(5.0 / 3600));
  CHECK(parse_quantity<Frequency>("1200/s").base() == 1200);
  CHECK(parse_quantity<Frequency>("8 GT/s").base() == 8e9);
  CHECK(parse_quantity<Frequency>("120 kIOPS").base() == 120e3);
  CHECK(parse_quantity<Money>("1.5 million USD").base() == 1.5e6);
}

TEST_CASE("bits are eighths of bytes, and binary prefixes are powers of 1024") {
  CHECK(parse_quantity<Bandwidth>("200 Gbit/s").base() == 25e9);  // 200e9 / 8
  CHECK(parse_quantity<Bandwidth>("1 Tbit/s").base() == 125e9);   // 1e12 / 8
  CHECK(parse_quantity<Bytes>("1 Gibit").base() == 134217728);    // 2^30 / 8
  CHECK(parse_quantity<Bytes>("1 kB").base() == 1000);
  CHECK(parse_quantity<Bytes>("1 KiB").base() == 1024);
  CHECK(parse_quantity<Bytes>("16 GiB").base() == 17179869184.0);  // 16 * 2^30
}

TEST_CASE("every unit of the catalogue is known") {
  for (const char* unit :
       {"GB/s", "W",   "USD",   "TFLOP/s", "Gbit/s",  "USD/h", "GB",    "MHz",  "us",    "TB",    "KiB",
        "MB",   "ns",  "kW",    "h",       "Tbit/s",  "MiB",   "USD/W", "GiB",  "m",     "kg",    "m2",
        "MW",   "min", "years", "year",    "USD/kWh", "TB/h",  "TOP/s", "GT/s", "BTU/h", "kIOPS", "1/year"}) {
    CAPTURE(unit);
    CHECK(parse_unit(unit).base > 0);
  }
}

TEST_CASE("numbers are those of JSON") {
  CHECK(parse_any_quantity("1e3 B").base == 1000);
  CHECK(parse_any_quantity("1E-3 B").base == 1e-3);
  CHECK(parse_any_quantity("-2.5 B").base == -2.5);
  CHECK(parse_any_quantity("  7  ").dimension == dimensionless);
  CHECK(parse_any_quantity("5e3B").base == 5000);
}

TEST_CASE("the locale does not change numbers") {
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) std::setlocale(LC_ALL, "");
  CHECK(parse_any_quantity("1.5 B").base == 1.5);
  CHECK(to_text(Bytes{1.5e9}) == "1.5 GB");
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("numbers that cannot be read are refused with a way out") {
  const auto said = [](const char* text) {
    return error_text([&] { parse_any_quantity(text); });
  };
  CHECK(said("1,281,167 B") ==
        "error: \"1,281,167 B\" is not one number and a unit\n"
        "  hint: write \"1281167 B\": a point before the fraction, nothing between groups of digits");
  CHECK(said("1 000 W") ==
        "error: \"1 000 W\" is not one number and a unit\n"
        "  hint: write \"1000 W\": a point before the fraction, nothing between groups of digits");
  CHECK(said("1.2.3 s") ==
        "error: \"1.2.3 s\" is not one number and a unit\n"
        "  hint: write a point before the fraction and nothing between groups of digits");
  CHECK(said(".5 s") == "error: \".5 s\" does not start with a digit\n  hint: write \"0.5 s\"");
  CHECK(said("+5 s") == "error: \"+5 s\" starts with a plus sign\n  hint: leave the plus sign out");
  CHECK(said("") ==
        "error: the quantity is empty\n"
        "  hint: write a number and a unit, such as \"104 TB\" or \"1.5e3 GB/s\"");
  for (const char* text : {"nan s", "inf s", "Infinity", "days", "- 5 s", "-"}) {
    CAPTURE(text);
    CHECK(contains(said(text), "does not start with a number"));
  }
  CHECK(contains(said("0x10 B"), "unknown unit \"x10 B\""));
  CHECK(said("1e400 s") == "error: the number in \"1e400 s\" is out of range");
  CHECK(said("1e308 EB") == "error: the number in \"1e308 EB\" is out of range");
}

TEST_CASE("ambiguous units are refused with both readings") {
  const auto said = [](const char* text) {
    return error_text([&] { parse_unit(text); });
  };
  const std::string giga =
      "error: the unit \"{}\" is ambiguous: bits or bytes?\n  hint: write \"GB\" for bytes or \"Gbit\" for "
      "bits";
  for (const char* unit : {"Gb", "gb", "gB"}) {
    std::string expected = giga;
    CHECK(said(unit) == expected.replace(expected.find("{}"), 2, unit));
  }
  CHECK(contains(said("kb"), "write \"kB\" for bytes or \"kbit\" for bits"));
  CHECK(contains(said("Mib/s"), "write \"MiB\" for bytes or \"Mibit\" for bits"));
  CHECK(said("KB") ==
        "error: the unit \"KB\" is ambiguous: 1000 or 1024 bytes?\n"
        "  hint: write \"kB\" for 1000 bytes or \"KiB\" for 1024");
}

TEST_CASE("unknown units lead to the right ones") {
  const auto said = [](const char* text) {
    return error_text([&] { parse_unit(text); });
  };
  CHECK(said("Gbps") == "error: unknown unit \"Gbps\"\n  hint: write \"Gbit/s\"");
  CHECK(said("GBps") == "error: unknown unit \"GBps\"\n  hint: write \"GB/s\"");
  CHECK(said("TFLOPS") == "error: unknown unit \"TFLOPS\"\n  hint: write \"TFLOP/s\"");
  CHECK(said("TOPS") == "error: unknown unit \"TOPS\"\n  hint: write \"TOP/s\"");
  CHECK(said("$/h") == "error: unknown unit \"$\"\n  hint: write \"USD\"");
  CHECK(said("EUR/kWh") == "error: unknown currency \"EUR\"\n  hint: write amounts of money in USD");
  CHECK(contains(said("monts"), "hint: did you mean \"month\""));
  CHECK(contains(said("zorks"), "hint: units look like \"TB\""));
  CHECK(said("GB//s") == "error: a unit is missing beside \"/\" in \"GB//s\"");
  CHECK(said("GB/") == "error: a unit is missing beside \"/\" in \"GB/\"");
  CHECK(said("") == "error: the unit is missing");
}

TEST_CASE("a quantity of another kind is refused") {
  CHECK(error_text([] { (void)parse_quantity<Duration>("7 GB"); }) ==
        "error: \"7 GB\" is a data size, but a duration is expected\n"
        "  hint: write a duration such as \"7 days\"");
  CHECK(error_text([] { (void)parse_quantity<Bandwidth>("3350"); }) ==
        "error: \"3350\" needs a unit: a bandwidth is expected\n"
        "  hint: write \"3350 GB/s\" or another unit of the kind");
}

TEST_CASE("a dimension without a name is described by its exponents") {
  CHECK(describe(Dimension{.time = -2, .data = 1}) == "a quantity in B s^-2");
  CHECK(describe(Area::dimension) == "an area such as \"120 m2\"");
}

TEST_CASE("people get three digits and a unit that reads well") {
  CHECK(to_text(Duration{9.1 * 365.25 * 86400}) == "9.1 years");
  CHECK(to_text(Duration{90}) == "90 s");
  CHECK(to_text(Duration{14 * 86400}) == "14 days");
  CHECK(to_text(Duration{36 * 3600}) == "36 h");
  CHECK(to_text(Duration{2.5e-6}) == "2.5 us");
  CHECK(to_text(Duration{}) == "0 s");
  CHECK(to_text(Bandwidth{16.24e9}) == "16.2 GB/s");
  CHECK(to_text(Bytes{104e12}) == "104 TB");
  CHECK(to_text(Bytes{999.9e9}) == "1 TB");  // 999.9 GB rounds to 1000 GB
  CHECK(to_text(Bytes{1001}) == "1 kB");
  CHECK(to_text(Flop{3.14e23}) == "314 ZFLOP");
  CHECK(to_text(FlopRate{10.6e12}) == "10.6 TFLOP/s");
  CHECK(to_text(Energy{3.6e6 * 120}) == "120 kWh");
  CHECK(to_text(Power{3500}) == "3.5 kW");
  CHECK(to_text(Power{-3500}) == "-3.5 kW");
  CHECK(to_text(Money{149000}) == "149000 USD");
  CHECK(to_text(Money{12.34e6}) == "12.3 million USD");
  CHECK(to_text(MoneyRate{2.5 / 3600}) == "2.5 USD/h");
  CHECK(to_text(EnergyPrice{0.12 / 3.6e6}) == "0.12 USD/kWh");
  CHECK(to_text(Frequency{1.48e9}) == "1.48 GHz");
  CHECK(to_text(Frequency{0.05 / (365.25 * 86400)}) == "0.05/year");
  CHECK(to_text(Mass{60.8}) == "60.8 kg");
  CHECK(to_text(Length{0.44}) == "440 mm");
  CHECK(to_text(Area{120}) == "120 m2");
}

TEST_CASE("what is not finite has a word") {
  CHECK(to_text(Duration{1.0 / 0.0}) == "unlimited");
  CHECK(to_text(Bytes{0.0 / 0.0}) == "unknown");
}

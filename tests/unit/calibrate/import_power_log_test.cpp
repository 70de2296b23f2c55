// What GPUs draw, from logs of nvidia-smi, dcgmi and DCGM's exporter.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/import.hpp"
#include "calibrate/import/power_log/power_log.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

nlohmann::json power_document(const std::string& text) {
  static const Catalog catalog = Catalog::builtin();
  return nlohmann::json::parse(
      import_text(catalog, {.kind = "power-log", .path = "log", .program = "t"}, text).text);
}

std::string power_complaint(const std::string& text) {
  return error_text([&] { (void)power_document(text); });
}

std::string power_warnings(const std::string& text) {
  return power_document(text).at("warnings").dump();
}

nlohmann::json power_file(const std::string& name) {
  return power_document(read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports/" + name));
}

constexpr const char* smi_titles = "timestamp, index, power.draw [W]\n";

/// A row of GPU 0, so many seconds after ten o'clock.
std::string smi_row(int second, const std::string& watts, int gpu = 0) {
  return fmt::format("2024/01/16 10:{:02}:{:02}.000, {}, {}\n", second / 60, second % 60, gpu, watts);
}

TEST_CASE("figures of a log of nvidia-smi are those worked out by hand") {
  // 0, 1, 2, 3, 4 s: 100, 200, 300, 400, 500 W. Trapezoids: 150 + 250 + 350 + 450 = 1200 J = 1/3 Wh.
  std::string log = smi_titles;
  for (int i = 0; i < 5; ++i) log += smi_row(i, fmt::format("{}.00 W", 100 * (i + 1)));
  const nlohmann::json gpu = power_document(log).at("power").at("gpus").at(0);
  CHECK(gpu.at("index") == 0);
  CHECK(gpu.at("samples") == 5);
  CHECK(gpu.at("time") == "4 s");
  CHECK(gpu.at("mean") == "300.0 W");
  CHECK(gpu.at("median") == "300.0 W");
  CHECK(gpu.at("percentile_5") == "120.0 W");   // a fifth of the way from the first to the second
  CHECK(gpu.at("percentile_95") == "480.0 W");  // and as far from the last
  CHECK(gpu.at("peak") == "500.0 W");
  CHECK(gpu.at("energy") == "0.333333 Wh");
  CHECK_FALSE(gpu.contains("limit"));
  CHECK_FALSE(gpu.contains("utilisation"));
}

TEST_CASE("columns may stand in any order, with and without units") {
  const nlohmann::json all = power_document(
      "name, utilization.gpu [%], power.limit [W], power.draw [W], temperature.gpu, index, clocks.current.sm "
      "[MHz], timestamp\n"
      "Tesla V100-SXM2-16GB, 50, 300.00, 290.00, 61, 3, 1530, 2020/05/01 00:00:00.000\n"
      "Tesla V100-SXM2-16GB, 100, 300.00, 250.00, 61, 3, 1500, 2020/05/01 00:00:01.000\n");
  const nlohmann::json gpu = all.at("power").at("gpus").at(0);
  CHECK(gpu.at("index") == 3);
  CHECK(gpu.at("gpu") == "v100_sxm2_16gb");
  CHECK(gpu.at("utilisation") == 0.75);
  CHECK(gpu.at("clock") == "1515 MHz");
  CHECK(gpu.at("limit") == "300 W");
  CHECK(gpu.at("share_at_limit") == 0.5);  // 285 W are 95 % of the limit
  CHECK(all.at("warnings").empty());
  // The average counts before the instant.
  const nlohmann::json two =
      power_document("power.draw.instant [W], index, power.draw.average [W]\n400 W, 0, 300 W\n");
  CHECK(two.at("power").at("gpus").at(0).at("peak") == "300.0 W");
}

TEST_CASE("two GPUs with one index and different UUIDs are kept apart") {
  const std::string log =
      "timestamp, index, uuid, power.draw [W]\n"
      "2024/01/16 10:00:00.000, 0, GPU-a, 100 W\n2024/01/16 10:00:00.000, 0, GPU-b, 300 W\n"
      "2024/01/16 10:00:01.000, 0, GPU-a, 100 W\n2024/01/16 10:00:01.000, 0, GPU-b, 300 W\n";
  const nlohmann::json power = power_document(log).at("power");
  REQUIRE(power.at("gpus").size() == 2);
  CHECK(power.at("gpus").at(0).at("mean") == "100.0 W");
  CHECK(power.at("gpus").at(1).at("mean") == "300.0 W");
  CHECK(power.at("together").at("mean") == "400.0 W");
  CHECK(power.at("together").at("energy") == "0.111111 Wh");  // 400 J
  CHECK(power.dump().find("GPU-a") == std::string::npos);
}

TEST_CASE("the sum over GPUs counts only while all of them have samples") {
  // The second GPU begins two seconds later, and holds its last sample for one more.
  std::string log = smi_titles;
  for (int i = 0; i < 6; ++i) {
    log += smi_row(i, "100 W");
    if (i >= 2) log += smi_row(i, i == 3 ? "500 W" : "200 W", 1);
  }
  const nlohmann::json together = power_document(log).at("power").at("together");
  CHECK(together.at("peak") == "600.0 W");
  CHECK(together.at("median") == "300.0 W");
  CHECK(together.at("mean") == "375.0 W");  // (300 + 600 + 300 + 300) / 4
  const std::string apart =
      smi_titles + smi_row(0, "9 W") + smi_row(1, "9 W") + smi_row(20, "9 W", 1) + smi_row(21, "9 W", 1);
  CHECK_FALSE(power_document(apart).at("power").contains("together"));
  CHECK(contains(power_warnings(apart), "no time at which all of them have samples"));
}

TEST_CASE("values that the driver does not give are left out with a warning") {
  const std::string log =
      smi_titles + smi_row(0, "[N/A]") + smi_row(1, "50 W") + smi_row(2, "[Not Supported]");
  CHECK(power_document(log).at("power").at("gpus").at(0).at("samples") == 1);
  CHECK(contains(power_warnings(log), "which are left out: 2"));
  CHECK(contains(power_warnings(log + smi_row(1, "[N/A]", 1)), "GPUs without a sample of power: 1"));
  CHECK(contains(power_complaint(smi_titles + smi_row(0, "[N/A]")), "the log holds no sample of power"));
}

TEST_CASE("gaps and clocks that go back are warned of and have no energy") {
  std::string log = smi_titles;
  for (const int second : {0, 1, 2, 100, 101}) log += smi_row(second, "360 W");
  const nlohmann::json gap = power_document(log).at("power").at("gpus").at(0);
  CHECK(gap.at("time") == "3 s");
  CHECK(gap.at("time_without_samples") == "98 s");
  CHECK(gap.at("energy") == "0.3 Wh");
  CHECK(contains(power_warnings(log), "GPU 0: gaps without samples: 1, together 98 s"));
  const std::string back = log + smi_row(50, "360 W") + smi_row(51, "360 W");
  CHECK(power_document(back).at("power").at("gpus").at(0).at("time") == "4 s");
  CHECK(contains(power_warnings(back), "the clock goes back: 1;"));
  CHECK_FALSE(power_document(back).at("power").contains("together"));
}

TEST_CASE("a limit below that of the catalogue, and one that changes") {
  const nlohmann::json all = power_file("nvidia_smi_power_535.csv");
  CHECK(contains(all.at("warnings").dump(), "\\\"gpu_cap\\\": \\\"600 W\\\""));
  CHECK(contains(all.at("warnings").dump(), "which are left out: 1"));
  CHECK(all.at("power").at("gpus").at(0).at("gpu") == "h100_sxm5");
  CHECK(contains(power_warnings("index, power.draw [W], power.limit [W]\n0, 9, 300\n0, 9, 250\n"),
                 "the power limit changes"));
}

TEST_CASE("dcgmi's text has no times: one sample a second is assumed, or those in front are taken") {
  const nlohmann::json all = power_file("dcgmi_dmon_3.3.txt");
  REQUIRE(all.at("power").at("gpus").size() == 4);
  CHECK(all.at("power").at("gpus").at(0).at("samples") == 12);
  CHECK(all.at("power").at("gpus").at(0).at("time") == "11 s");
  CHECK(contains(all.at("warnings").dump(), "one sample of each GPU a second is assumed"));
  // Titles of older versions, rows of a slice, and times by ts(1).
  const std::string log =
      "2024-01-16T10:00:00.5 # Entity  POWER  PMLMT\n2024-01-16T10:00:00.5       Id      W      W\n"
      "2024-01-16T10:00:00.5     GPU 0  100.0  400.0\n2024-01-16T10:00:00.5   GPU-I 0  N/A  N/A\n"
      "2024-01-16T10:00:10.5     GPU 0  390.0  400.0\n";
  const nlohmann::json gpu = power_document(log).at("power").at("gpus").at(0);
  CHECK(gpu.at("time") == "10 s");
  CHECK(gpu.at("share_at_limit") == 0.5);
  CHECK(contains(power_warnings(log), "whole GPUs, which are left out: 1"));
  CHECK_FALSE(contains(power_warnings(log), "assumed"));
}

TEST_CASE("samples of DCGM's exporter, with times and without") {
  const nlohmann::json all = power_file("dcgm_exporter_power.txt");
  REQUIRE(all.at("power").at("gpus").size() == 4);  // two hosts
  CHECK(all.at("power").at("gpus").at(0).at("time") == "60 s");
  CHECK(all.at("power").at("gpus").at(0).at("gpu") == "a100_sxm4_40gb");
  CHECK(all.at("power").at("gpus").at(0).at("clock") == "1410 MHz");
  const std::string scrape = "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",note=\"a\\\"},b\"} 100\n";
  CHECK(power_document(scrape + scrape).at("power").at("gpus").at(0).at("samples") == 2);
  CHECK_FALSE(power_document(scrape + scrape).at("power").at("gpus").at(0).contains("energy"));
  CHECK(contains(power_warnings(scrape), "the document has no energy"));
  const std::string dump =
      "{__name__=\"DCGM_FI_DEV_POWER_USAGE\", gpu=\"1\", instance=\"n\"} 360 1705399200000\n"
      "{__name__=\"DCGM_FI_DEV_POWER_USAGE\", gpu=\"1\", instance=\"n\"} 360 1705399210000\n";
  CHECK(power_document(dump).at("power").at("gpus").at(0).at("energy") == "1 Wh");
  // The same columns in a table.
  const nlohmann::json table =
      power_document("Time,gpu,DCGM_FI_DEV_POWER_USAGE\n1705399200,0,360\n1705399210,0,360\n");
  CHECK(table.at("power").at("gpus").at(0).at("energy") == "1 Wh");
}

/// A sample of DCGM's exporter; `time` may be empty.
std::string metric(const std::string& name, double value, const std::string& time = {},
                   const std::string& labels = "gpu=\"0\",UUID=\"GPU-a\"") {
  return fmt::format("DCGM_FI_DEV_{}{{{}}} {} {}\n", name, labels, value, time);
}

TEST_CASE("OpenMetrics has seconds, and Prometheus' text milliseconds") {
  // 360 W over 10 s are 1 Wh in both.
  const auto energy = [](const std::string& log) {
    return power_document(log).at("power").at("gpus").at(0).at("energy");
  };
  CHECK(energy(metric("POWER_USAGE", 360, "1705399200.5") + metric("POWER_USAGE", 360, "1705399210.5") +
               "# EOF\n") == "1 Wh");
  CHECK(energy(metric("POWER_USAGE", 360, "1705399200500") + metric("POWER_USAGE", 360, "1705399210500")) ==
        "1 Wh");
}

TEST_CASE("samples without a value take their time") {
  // A second each: at 0 and 2 s, so 2 s and not 1.
  const auto first = [](const std::string& log) {
    return power_document(log).at("power").at("gpus").at(0);
  };
  CHECK(first("#Entity POWER\nID W\nGPU 0 100\nGPU 0 N/A\nGPU 0 100\n").at("time") == "2 s");
  // Without times too, the samples of one row belong together: 100 + 300 W.
  const auto together = [](const std::string& log) {
    return power_document(log).at("power").at("together").at("mean");
  };
  CHECK(together("index, power.draw [W]\n0, [N/A]\n1, 200 W\n0, 100 W\n1, 300 W\n") == "400.0 W");
  const std::string other = "gpu=\"1\",UUID=\"GPU-b\"";
  CHECK(together("DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\"} NaN\n" +
                 metric("POWER_USAGE", 200, "", other) + metric("POWER_USAGE", 100) +
                 metric("POWER_USAGE", 300, "", other)) == "400.0 W");
}

TEST_CASE("slices of a GPU that repeat its power count once in a scrape") {
  const auto slice = [](int id, double watts, const std::string& time = {}) {
    return metric("POWER_USAGE", watts, time,
                  fmt::format("gpu=\"0\",UUID=\"GPU-a\",GPU_I_PROFILE=\"1g.5gb\",GPU_I_ID=\"{}\"", id));
  };
  const std::string scrapes = slice(1, 100) + slice(2, 100) + slice(3, 100) + slice(1, 300) + slice(2, 300);
  CHECK(power_document(scrapes).at("power").at("gpus").at(0).at("samples") == 2);
  CHECK(
      contains(power_warnings(scrapes), "rows of slices (MIG) that repeat their GPU, which are left out: 3"));
  const std::string one = "1705399200000", two = "1705399210000";
  const std::string scraped =
      slice(1, 360, one) + slice(2, 360, one) + slice(1, 360, two) + slice(2, 360, two);
  const std::string dumped =
      slice(1, 360, one) + slice(1, 360, two) + slice(2, 360, one) + slice(2, 360, two);
  for (const std::string& log : {scraped, dumped}) {
    CHECK(power_document(log).at("power").at("gpus").at(0).at("samples") == 2);
    CHECK(power_document(log).at("power").at("gpus").at(0).at("energy") == "1 Wh");
  }
}

TEST_CASE("different GPUs are not taken as one") {
  const auto gpus = [](const std::string& log) {
    return power_document(log).at("power").at("gpus").size();
  };
  CHECK(gpus("index, uuid, power.draw [W]\n0, [N/A], 5 W\n1, [N/A], 6 W\n") == 2);
  CHECK(gpus("Hostname, pci.bus_id, power.draw [W]\na, 00000000:01:00.0, 5 W\nb, 00000000:01:00.0, 6 W\n") ==
        2);
  CHECK(
      gpus(
          "uuid, pci.bus_id, power.draw [W]\n[N/A], 00000000:01:00.0, 5 W\n[N/A], 00000000:02:00.0, 6 W\n") ==
      2);
  const std::string merged = smi_titles + smi_row(0, "5 W") + smi_row(0, "300 W") + smi_row(1, "5 W");
  CHECK(
      contains(power_warnings(merged),
               "GPU 0: samples at the time of the one before: 1; are logs of several machines in one file?"));
  CHECK_FALSE(
      contains(power_warnings(smi_titles + smi_row(0, "5 W") + smi_row(1, "5 W")), "several machines"));
}

TEST_CASE("the limit at the time of each sample counts, in all forms of logs") {
  // 390 W throughout: at the limit of 400 W for two samples of four, and far below 700 W.
  const auto check = [](const std::string& log) {
    const nlohmann::json all = power_document(log);
    CHECK(all.at("power").at("gpus").at(0).at("limit") == "700 W");
    CHECK(all.at("power").at("gpus").at(0).at("share_at_limit") == 0.5);
    CHECK(contains(all.at("warnings").dump(), "the power limit changes; the document has the last one"));
  };
  std::string table = "timestamp, index, power.draw [W], power.limit [W]\n",
              dmon = "#Entity POWER PMLMT\nID W W\n";
  std::string scrapes, powers, limits, untimed;
  for (int i = 0; i < 4; ++i) {
    const int limit = i < 2 ? 400 : 700;
    const std::string time = fmt::format("{}", 1705399200000 + 1000 * i);
    table += fmt::format("{}, 0, 390, {}\n", 1705399200 + i, limit);
    dmon += fmt::format("GPU 0 390 {}\n", limit);
    scrapes += metric("POWER_USAGE", 390, time) + metric("ENFORCED_POWER_LIMIT", limit, time) +
               metric("POWER_MGMT_LIMIT", 700, time);
    powers += metric("POWER_USAGE", 390, time);
    limits += metric("POWER_MGMT_LIMIT", limit, time);
    untimed += metric("POWER_USAGE", 390) + metric("POWER_MGMT_LIMIT", limit);
  }
  for (const std::string& log : {table, dmon, scrapes, powers + limits, limits + powers, untimed}) check(log);
  // The lower of two limits that stay.
  const nlohmann::json stays = power_document(
      "index, power.draw [W], power.limit [W], enforced.power.limit [W]\n0, 9, 700, 400\n0, 9, 700, 400\n");
  CHECK(stays.at("power").at("gpus").at(0).at("limit") == "400 W");
  CHECK_FALSE(contains(stays.at("warnings").dump(), "the power limit changes"));
}

TEST_CASE("a column without a value gives way to another of its kind") {
  const nlohmann::json gpu =
      power_document(
          "index, power.draw [W], power.draw.instant [W], enforced.power.limit [W], power.limit [W]\n"
          "0, [N/A], 300 W, [N/A], 310 W\n0, 100 W, 300 W, 310 W, 310 W\n")
          .at("power")
          .at("gpus")
          .at(0);
  CHECK(gpu.at("samples") == 2);
  CHECK(gpu.at("mean") == "200.0 W");  // 300 and 100
  CHECK(gpu.at("limit") == "310 W");
  CHECK(gpu.at("share_at_limit") == 0.5);
}

TEST_CASE("a byte-order mark is no part of the first title") {
  const std::string mark = "\xef\xbb\xbf";
  const std::string log = "timestamp, index, power.draw [W]\n" + smi_row(0, "360 W") + smi_row(10, "360 W");
  const nlohmann::json all = power_document(mark + log);
  CHECK(all.at("power").at("gpus").at(0).at("energy") == "1 Wh");
  CHECK(all.at("provenance").at("file_bytes") == log.size() + 3);
  CHECK(contains(power_complaint(mark + "power.draw [mW]\n"), "log:1:1: error"));
  const std::string wide{"\xff\xfet\0i\0", 6};
  CHECK(contains(power_complaint(wide), "UTF-16"));
  CHECK_FALSE(contains(power_complaint(std::string{"t\0i\0", 4}), "UTF-16"));
}

TEST_CASE("times in their usual forms") {
  CHECK(power_log_time("1970/01/02 00:00:01.500") == 86401.5);
  CHECK(power_log_time("1970-01-02T00:00:01.5Z") == 86401.5);
  CHECK(power_log_time("1970-01-02T01:00:01+01:00") == 86401);
  CHECK(power_log_time("1705399200") == 1705399200);
  CHECK(power_log_time("1705399200123") == 1705399200.123);
  CHECK(power_log_time("1705399200123456789").value() == doctest::Approx(1705399200.123));
  for (const char* bad :
       {"", "yesterday", "2024/13/01 00:00:00", "2023/02/29 00:00:00", "2024/01/16 24:00:00", "2024/01/16",
        "-5", "1e300", "nan", "2024/01/16 10:00:00.1x", "2024-01-16T10:00:00+99:00"})
    CHECK_MESSAGE(!power_log_time(bad), bad);
}

TEST_CASE("broken logs of power are refused at their place") {
  const std::string head = smi_titles;
  CHECK(contains(power_complaint("timestamp, index\nx, 0\n"), "no column of power"));
  CHECK(contains(power_complaint("index, power.draw [W], power.draw [W]\n0, 1, 1\n"), "stands twice"));
  CHECK(contains(power_complaint("index, power.draw [mW]\n0, 1\n"), "log:1:8: error: the unit of"));
  CHECK(contains(power_complaint(head + smi_row(0, "1 kW")), "log:2:29: error"));
  CHECK(contains(power_complaint(head + smi_row(0, "-5 W")), "between 0 and"));
  CHECK(contains(power_complaint(head + smi_row(0, "1e9 W")), "between 0 and"));
  CHECK(contains(power_complaint(head + smi_row(0, "lots W")), "not a number"));
  CHECK(contains(power_complaint(head + "2024/01/16 10:00:00.000, 0\n"), "2 fields below 3 titles"));
  CHECK(contains(power_complaint(head + "16 Jan 2024, 0, 5 W\n"), "is no time"));
  CHECK(contains(power_complaint("index, power.draw [W], utilization.gpu [%]\n0, 1 W, 120 %\n"),
                 "between 0 and 100"));
  CHECK(contains(power_complaint(head), "no sample of power"));
  CHECK(
      contains(power_warnings(head + smi_row(0, "5 W") + "2024/01/16 10:00:01.000, 0, 6"), "may be cut off"));
  CHECK(contains(power_warnings("power.draw [W]\n5 W\n"), "no column tells GPUs apart"));
  CHECK(contains(power_complaint("#Entity TMPTR\nID C\nGPU 0 30\n"), "the titles have no POWER"));
  CHECK(contains(power_complaint("#Entity POWER\nID W\nGPU 0\n"), "0 values below 1 titles"));
  CHECK(contains(power_complaint("#Entity POWER\nID W\nGPU 0 -3\n"), "log:3:7: error"));
  CHECK(contains(power_complaint("#Entity POWER\nID W\nhello\n"), "expected a row such as"));
  CHECK(contains(power_complaint("#Entity POWER\nID W\nnoon GPU 0 3\n"), "is no time"));
  CHECK(contains(power_complaint("#Entity POWER\n10 GPU 0 3\nGPU 0 3\n"), "others have none"));
  const std::string name = "DCGM_FI_DEV_POWER_USAGE{";
  CHECK(contains(power_complaint(name + "gpu=\"0\"} -1\n"), "between 0 and"));
  CHECK(contains(power_complaint(name + "gpu=\"0\"}\n"), "0 fields behind its labels"));
  CHECK(contains(power_complaint(name + "gpu=\"0\n"), "does not end"));
  CHECK(contains(power_complaint(name + "gpu\n"), "do not end"));
  CHECK(contains(power_complaint(name + "gpu=\"0\\\n"), "does not end"));
  CHECK(contains(power_complaint(name + "pod=\"x\"} 1\n"), "neither the label UUID"));
  CHECK(contains(power_complaint(name + "gpu=\"0\"} 1 never\n"), "not a number"));
}

TEST_CASE("logs of many GPUs and samples are summarised soon, and without overflow") {
  std::string log = "timestamp,uuid,power.draw\n";
  for (int gpu = 0; gpu < 8192; ++gpu) log += fmt::format("1705399200,g{},100000\n", gpu);
  for (int i = 0; i < 100'000; ++i) log += fmt::format("{},g0,0\n", 1705399201 + i);
  const nlohmann::json power = power_document(log).at("power");
  CHECK(power.at("gpus").size() == 8192);
  CHECK(contains(power_complaint(log + "1705399200,one_more,5\n"), "more than 8192 GPUs"));
}

}  // namespace
}  // namespace rackcast

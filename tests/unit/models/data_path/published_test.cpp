// The data path beside published measurements. Rows that a constant comes from are not judged.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/data_path/emulated_training.hpp"
#include "models/data_path/preprocess.hpp"
#include "models/data_path/starvation.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

struct Row {
  std::string system, workload, accelerator;
  double accelerators = 0, hosts = 0, bytes_per_s = 0, utilisation = 0;
};

std::vector<Row> rows() {
  std::ifstream file(std::string(RACKCAST_SOURCE_DIR) + "/tests/validation/io/mlperf_storage_v1.0.csv");
  std::vector<Row> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    out.push_back({cells.at(1), cells.at(2), cells.at(3), std::stod(cells.at(4)), std::stod(cells.at(5)),
                   std::stod(cells.at(7)), std::stod(cells.at(8)) / 100});
  }
  return out;
}

/// With reads that take their mean time unless `varying`.
double predicted(const Row& row, Bandwidth read, bool varying = false) {
  EmulatedWorkload w = emulated_workload(row.workload, row.accelerator);
  w.job.accelerators = row.accelerators;
  if (!varying) w.job.readers = 0;
  StorageSystem storage;
  storage.name = row.system;
  storage.read = read;
  ReadLoad load;
  load.layout = {RecordFormat::tfrecord, w.sample, 1000};
  load.nodes = static_cast<int>(row.hosts);
  return accelerator_utilisation(w.job, storage, load);
}

double off(double predicted_value, double measured) {
  return std::abs(predicted_value / measured - 1);
}

}  // namespace

TEST_CASE("given the storage's throughput, accelerator utilisation of MLPerf Storage is met within 10 %") {
  std::map<std::string, std::vector<double>> errors;
  for (const Row& row : rows()) {
    if (row.accelerators == 1 && row.system.starts_with("F8000X")) continue;  // the overhead is from these
    errors[row.workload].push_back(
        std::abs(predicted(row, Bandwidth{row.bytes_per_s}) / row.utilisation - 1));
  }
  for (auto& [workload, all] : errors) {
    std::ranges::sort(all);
    const std::string name = workload;
    CAPTURE(name);
    CHECK(all[all.size() / 2] < 0.05);
    // One 3D U-Net row is off by 17 %: its mean sample is not the nominal one.
    CHECK(std::ranges::count_if(all, [](double e) { return e > 0.10; }) <= (workload == "unet3d" ? 1 : 0));
  }
}

TEST_CASE("single drives of the catalogue keep emulated GPUs as busy as measured") {
  // Nothing of the run is used but the drive: Micron 9400, and by their generation Micron 6500 (PCIe Gen4)
  // and 9550 (Gen5).
  const Catalog catalog = Catalog::builtin();
  const auto read = [&](const char* id) {
    return Bandwidth{catalog.find("storage", id).require("read_gb_per_s").number() * 1e9};
  };
  // Four reads in flight for each accelerator: read_threads of the CosmoFlow and 3D U-Net configurations (8
  // of ResNet-50, whose batch of 400 does not vary).
  int within = 0, seen = 0;
  for (const Row& row : rows()) {
    if (!row.system.starts_with("Micron")) continue;
    const auto is = [&row](std::string_view part) {
      return row.system.find(part) != std::string::npos;
    };
    const double ours = predicted(row,
                                  read(is("Gen5")   ? "nvme_gen5"
                                       : is("9400") ? "micron_9400"
                                                    : "nvme_gen4"),
                                  true);
    CAPTURE(row.system);
    CAPTURE(row.workload);
    CAPTURE(ours);
    CAPTURE(row.utilisation);
    ++seen;
    within += off(ours, row.utilisation) < 0.10;
    // A Gen5 drive gives CosmoFlow's 2.8 MB files 7.5 of its 13.5 GB/s: the host is the limit, which has no
    // model.
    CHECK(off(ours, row.utilisation) < (row.workload == "cosmoflow" ? 0.18 : 0.11));
  }
  CHECK(seen == 17);
  CHECK(within >= 14);
}

TEST_CASE("AlexNet on a DGX-1 P100 becomes input-bound as GPUs are added") {
  // TensorFlow benchmarks, May 2017, images/s at 1, 2, 4 GPUs. The synthetic rate is given, what real data
  // make of it is predicted: 40 cores decode 10,000 images/s in threads that fill queues of two batches. By
  // hand for 4 GPUs: r = 10,000/10,509 = 0.952, p0 = 0.0484/(1 - 0.952^4) = 0.269, 7,680 images/s.
  PreprocessSpec spec;
  spec.kind = record_kind("jpeg");
  spec.cores_per_node = 40;
  const InputStage cores = preprocess_cost(spec).stages.at(0);
  struct Point {
    double synthetic, real, bound;
  };
  double before = 1;
  for (const auto& [synthetic, real, bound] :
       {Point{2987, 2890, 0.02}, Point{5658, 4448, 0.17}, Point{10509, 7105, 0.09}}) {
    const double kept = fed_fraction(cores.capacity / cores.per_sample, synthetic, 2);
    const double predicted_rate = synthetic * kept;
    CAPTURE(predicted_rate);
    CHECK(off(synthetic * kept, real) < bound);
    CHECK(kept < before);
    before = kept;
  }
  CHECK(before < 0.75);  // a quarter of four GPUs waits for input
}

TEST_CASE("7,095 AlexNet images/s at 0.113 MB each are the 6,370 Mbit/s that Isilon served") {
  // 7,095 x 0.113e6 x 8 = 6,414 Mbit/s: 0.7 % more than was read off the graph.
  ReadLoad load;
  load.layout = {RecordFormat::tfrecord, Bytes{0.113e6}, 1251};
  StorageSystem isilon;
  isilon.name = "Isilon";
  isilon.read = Bandwidth{6370e6 / 8};
  CHECK(off(read_rate(isilon, load).base(), 7095) < 0.01);
}

#include <doctest/doctest.h>

#include "models/data_path/checkpoint.hpp"
#include "models/data_path/record.hpp"
#include "models/data_path/storage_system.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

/// 1 GB/s, 10,000 reads/s, 2,000 opens/s, 0.25 GB/s per client.
StorageSystem server() {
  StorageSystem s;
  s.name = "server";
  s.kind = StorageKind::nfs;
  s.read = Bandwidth{1e9};
  s.write = Bandwidth{0.5e9};
  s.operations = Frequency{10e3};
  s.opens = Frequency{2e3};
  s.per_client = Bandwidth{0.25e9};
  return s;
}

}  // namespace

TEST_CASE("a single file costs an open and its read-ahead windows; packed records almost nothing") {
  // 0.3 MB: 300,000 / 131,072 = 2.3, so three local reads; one of 1 MiB over a network.
  CHECK(object_cost({RecordFormat::files, Bytes{0.3e6}, 1}, false).operations == 3);
  CHECK(object_cost({RecordFormat::files, Bytes{0.3e6}, 1}, true).operations == 1);
  CHECK(object_cost({RecordFormat::files, Bytes{0.3e6}, 1}, true).opens == 1);
  const ObjectCost packed = object_cost({RecordFormat::tfrecord, Bytes{0.524288e6}, 1000}, true);
  CHECK(packed.opens == doctest::Approx(0.001));
  CHECK(packed.operations == doctest::Approx(0.5));
  CHECK(object_cost({RecordFormat::lmdb, Bytes{1e3}, 1}, false).opens == 0);
}

TEST_CASE("samples of zero bytes and shards without samples are errors") {
  CHECK_THROWS_WITH_AS(object_cost({RecordFormat::files, Bytes{0}, 1}, true),
                       doctest::Contains("a sample of zero bytes"), Error);
  CHECK_THROWS_WITH_AS(object_cost({RecordFormat::tfrecord, Bytes{1}, 0}, true),
                       doctest::Contains("at least one sample"), Error);
}

TEST_CASE("large objects meet the throughput, small ones the metadata rate") {
  // 10 MB on 8 clients: throughput 1e9/1e7 = 100/s; clients 8 x 0.25e9/1e7 = 200/s; opens 2000/s.
  CHECK(read_rate(server(), {{RecordFormat::files, Bytes{1e7}, 1}, 8, 0, 1}).base() == doctest::Approx(100));
  // 10 kB: throughput 100,000/s, reads 10,000/s, opens 2,000/s.
  CHECK(read_rate(server(), {{RecordFormat::files, Bytes{1e4}, 1}, 8, 0, 1}).base() == doctest::Approx(2000));
  // The same packed by the thousand: 1 MiB reads hold 104.9 records each, so clients bind at 200,000/s... of
  // which throughput allows 100,000.
  CHECK(read_rate(server(), {{RecordFormat::tfrecord, Bytes{1e4}, 1000}, 8, 0, 1}).base() ==
        doctest::Approx(100'000));
}

TEST_CASE("read throughput doubles with the number of clients until the server is full") {
  const auto rate = [](int nodes) {
    return read_rate(server(), {{RecordFormat::tfrecord, Bytes{1e5}, 1000}, nodes, 0, 1}).base() * 1e5;
  };
  CHECK(rate(1) == doctest::Approx(0.25e9));
  CHECK(rate(2) == doctest::Approx(0.50e9));
  CHECK(rate(4) == doctest::Approx(1e9));
  CHECK(rate(8) == doctest::Approx(1e9));
}

TEST_CASE("readers that wait for each object obey Little's law") {
  StorageSystem s = server();
  s.opens = s.operations = Frequency{0};
  s.per_client = Bandwidth{0};
  s.latency = Duration{0.099};
  s.stream = Bandwidth{1e8};
  // 100 kB: 99 ms + 1 ms per object; 2 nodes x 10 readers / 0.1 s = 200 objects/s.
  CHECK(read_rate(s, {{RecordFormat::files, Bytes{1e5}, 1}, 2, 10, 1}).base() == doctest::Approx(200));
}

TEST_CASE("half the samples cached above means twice the rate; local drives come with the nodes") {
  CHECK(read_rate(server(), {{RecordFormat::files, Bytes{1e7}, 1}, 8, 0, 0.5}).base() ==
        doctest::Approx(200));
  StorageSystem local = server();
  local.kind = StorageKind::local;
  local.per_client = Bandwidth{0};
  CHECK(read_rate(local, {{RecordFormat::tfrecord, Bytes{1e6}, 1000}, 3, 0, 1}).base() ==
        doctest::Approx(3000));
}

TEST_CASE("a kind of system lends what its entry does not say") {
  const StorageSystem s =
      with_kind_facts({.name = "x", .kind = StorageKind::object, .read = Bandwidth{1e10}});
  CHECK(s.latency.base() == doctest::Approx(0.1));
  CHECK(s.opens.base() == doctest::Approx(5500));
  CHECK(storage_kind_of("nfs_10gbe") == StorageKind::nfs);
  CHECK(storage_kind_of("no such entry") == StorageKind::array);
}

TEST_CASE("a checkpoint of a trillion parameters in mixed precision with Adam is 14 TB") {
  // 2 + 4 + 8 bytes; the source measured 13.8 TB for 1.008e12 parameters.
  CHECK(checkpoint_bytes(1e12, Precision::mixed, Optimizer::adam).base() == doctest::Approx(14e12));
  CHECK(checkpoint_bytes(1e9, Precision::fp32, Optimizer::momentum).base() == doctest::Approx(8e9));
}

TEST_CASE("a checkpoint stalls training for its write, or only for the copy to the host") {
  WriteBack job;
  job.checkpoint = Bytes{50e9};
  job.every = Duration{1000};
  job.writers = 8;
  // 0.5 GB/s: 100 s every 1000 s.
  const WriteCost plain = write_cost(job, server(), Duration{1});
  CHECK(plain.write.base() == doctest::Approx(100));
  CHECK(plain.time_factor == doctest::Approx(1.1));
  CHECK(plain.background.base() == doctest::Approx(50e6));
  job.asynchronous = true;
  job.to_host = Bandwidth{12.5e9};  // 50e9 / (8 x 12.5e9) = 0.5 s
  CHECK(write_cost(job, server(), Duration{1}).stall.base() == doctest::Approx(0.5));
  job.every = Duration{50};
  CHECK_THROWS_WITH_AS(write_cost(job, server(), Duration{1}), doctest::Contains("longer than"), Error);
}

TEST_CASE("logs are written with every step") {
  WriteBack job;
  job.log_per_step = Bytes{1e6};
  CHECK(write_cost(job, server(), Duration{0.5}).background.base() == doctest::Approx(2e6));
}

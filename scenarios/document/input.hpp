#pragma once
/// The way of the data in a result document: its funnel, its growth, and how much of it an accuracy asks for.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

struct InputPath {
  struct Stage {
    std::string name;
    double samples_per_s = 0;
    std::optional<double> low = {}, high = {};
  };
  /// Epochs that run alike; the shares of the samples that each level serves.
  struct Epochs {
    double after = 0, epochs = 0, page_cache = 0, ssd_cache = 0, storage = 0;
    std::optional<double> step_s, samples_per_s, read_bytes_per_s;
    std::string binds;
  };
  struct WriteBack {
    std::optional<double> checkpoint_bytes, write_s, stall_s, time_factor, bytes_per_s;
    std::optional<double> writers = {}, busiest_bytes = {};
  };
  std::optional<double> required_bytes_per_s, available_bytes_per_s, next_ratio;
  std::string binds, next, sharding, order;
  std::vector<Stage> funnel;
  std::vector<Epochs> epochs;
  std::optional<double> working_set_bytes, page_cache_bytes, ssd_cache_bytes;
  std::optional<WriteBack> write_back;
};

struct DataGrowth {
  struct Point {
    double day = 0;
    std::optional<double> recorded_bytes, stored_bytes, usable_bytes;
  };
  struct Retraining {
    double day = 0, samples = 0, time_to_train_s = 0;
    bool in_time = true;
  };
  struct Planned {
    double day = 0, samples = 0, bytes = 0;
    std::int64_t storage = 0;
    std::optional<std::int64_t> nodes, low, high;
    bool asked = false;
    std::int64_t spares = 0;
    std::string limit = {};
  };
  std::optional<double> capacity_bytes, full_day, date_day;
  std::vector<Point> series;
  std::vector<Retraining> retraining;
  std::vector<Planned> plan;
};

struct LearningNeed {
  struct Point {
    double samples = 0, error = 0;
  };
  double samples = 0;
  std::optional<double> low, high, target_error, a, b, c, times_largest_point;
  std::vector<Point> points;
};

/// Throws Error unless the rate lies within its interval.
void check(const InputPath::Stage& stage, const Json& json);

}  // namespace rackcast::doc

#pragma once
/// One published figure: a system, a workload, what was measured. The form is that of
/// tests/validation/cases/README.md. Nulls and absent members are empty here; nothing is guessed.
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

/// Why a case is not as it was published (amendments.hpp).
struct CaseAmendment {
  std::string why, source, date;

  auto operator<=>(const CaseAmendment&) const = default;
};

struct ValidationCase {
  struct System {
    std::optional<std::string> gpu, node;
    std::optional<std::string> cluster;  ///< of the catalogue: its network counts, not `fabric`
    bool gpu_assumed = false;
    std::optional<double> gpus, gpus_per_node, nodes;
    std::string intra_node;
    std::string node_note;  ///< how the source describes a machine that the catalogue lacks
    Json fabric;            ///< null for one node
  };
  struct Workload {
    std::string model, task;
    Json input;  ///< "224x224x3", an object, or null
    std::optional<double> batch_per_gpu, global_batch, micro_batch;
    std::optional<std::string> precision;
    std::string framework, framework_version;
    std::string data, gradient_sync;
    Json extra;        ///< free-form facts, see the README
    Json transformer;  ///< shape, or null
    Json parallelism;  ///< the split over GPUs as far as stated, or null
  };

  std::string id, series, source;  ///< source: the first part of the series, else the name of the file
  std::string citation;            ///< the source in words, with its address
  std::string kind;                ///< "measurement", "derived", "projection"
  std::string file;
  int line = 0;
  System system;
  Workload workload;
  std::string metric, unit;
  std::optional<double> measured;
  std::string statement;  ///< what the source says in words, where the figure stands for that
  std::string remark;     ///< why a prediction of it is off, as far as it is known
  Json json;              ///< the case as it was read
  std::shared_ptr<const CaseAmendment> amendment;   ///< of a case that was corrected, else null
  std::shared_ptr<const ValidationCase> published;  ///< as it was before, else null
  std::string unreadable;  ///< not empty: the case could not be read, and why; the rest may be empty

  [[nodiscard]] bool one_gpu() const { return system.gpus && *system.gpus == 1; }
};

// Lenient access to free-form members: nothing when the key is absent, null or of another kind.
std::optional<double> number_in(const Json& object, std::string_view key);
std::optional<std::string> text_in(const Json& object, std::string_view key);
std::optional<bool> flag_in(const Json& object, std::string_view key);
/// Member, or nullptr when `object` is not an object, or the member is absent or null.
const Json* member_in(const Json& object, std::string_view key);

}  // namespace rackcast

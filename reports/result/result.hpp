#pragma once
/// The result document as the reports see it: "format": "rackcast-result", "version": 4.
///
/// load_result checks shape, types and version once, so the sections read plain fields. What a result may
/// leave out is optional or empty here, and its section then leaves it out too. Unknown keys are ignored: a
/// later program may add some without a new version. Its parts are described in scenarios/document.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/document/result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

using doc::Alternative, doc::Answer, doc::Assumption, doc::DataGrowth, doc::Evidence, doc::InputPath,
    doc::LadderRung, doc::LearningNeed, doc::MachineDrawing, doc::Measured, doc::Performance, doc::Plan,
    doc::PlanCandidate, doc::Prediction, doc::PublishedComparison, doc::Reliability, doc::ScalingPoint,
    doc::Sensitivity, doc::Serving, doc::Site, doc::SiteBillRow, doc::SiteCost, doc::SiteNetwork,
    doc::SitePower, doc::SiteRacks, doc::SplitSearch, doc::StepBreakdown, doc::Timeline, doc::Utilisation,
    doc::WorkloadResult;

std::string_view to_string(Assumption::Confidence confidence);  ///< "verified", ..., "default"

struct ResultDocument {
  enum class Kind { size, simulate };
  Kind kind = Kind::size;
  std::string program, version, commit, command;
  struct {
    std::string file, name, description, seed;
    std::string text;                            ///< the merged scenario, pretty JSON; empty if not recorded
    std::optional<std::chrono::sys_days> start;  ///< of the work; nothing: not given
  } scenario;
  std::optional<double> deadline_s;
  /// How several workloads share the cluster and the deadline; of one there is nothing to say.
  struct {
    bool stated = false;
    std::vector<double> times_s;  ///< of each workload, on the cluster of the answer
    bool adds_up = false;  ///< one after another: their times add up, and the deadline is for all of them
  } premise;
  Answer answer;
  Performance performance;  ///< of what takes longest on the cluster of the answer
  std::vector<WorkloadResult> workloads;
  std::vector<Alternative> alternatives;  ///< of all workloads together, where their times add up
  std::vector<Sensitivity> sensitivity;   ///< likewise

  /// What has an answer of its own: all workloads as one, where their times add up, else each workload.
  [[nodiscard]] std::vector<WorkloadResult> asked() const;
  std::optional<DataGrowth> growth;
  std::optional<LearningNeed> learning;
  std::optional<Site> site;
  std::vector<MachineDrawing> drawings;
  std::optional<Plan> plan;  ///< of "size"
  std::optional<Serving> serving;
  std::vector<Measured> measured;  ///< what the owner measured; mostly empty
  std::vector<Assumption> assumptions;
  std::vector<doc::Reason> warnings;
};

/// Reads a result document; `name` is the file in messages. Throws Error, pointing at the place, if it is not
/// JSON, not a rackcast result, of another version, or if a part is missing or of the wrong type.
ResultDocument load_result(const std::string& text, std::string name);
/// The same of a text that is parsed already.
ResultDocument load_result(const Json& json);

}  // namespace rackcast::reports

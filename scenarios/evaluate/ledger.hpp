#pragma once
/// What a result rests on: every catalogue fact, fit and default that was used, once each, in order of first
/// use.
#include <string>
#include <vector>

#include "scenarios/document/form/reason.hpp"
#include "scenarios/evidence/assumption.hpp"
#include "scenarios/format/scenario.hpp"

namespace rackcast {

class GpuCostModel;
struct FrameworkProfile;
struct GpuSpec;
struct InputContext;
struct InputPathFacts;
struct NodeSpec;
struct StorageFacts;

class Ledger {
 public:
  void note(Assumption assumption);
  void warn(doc::Reason warning);

  void note_node(const NodeSpec& node);
  void note_gpu(const GpuSpec& gpu, const GpuCostModel& model, const Workload& workload, Precision precision);
  void note_stragglers(const StragglerSpec& stragglers, const Where& where);
  void note_workload(const WorkloadSpec& spec, const Workload& workload);
  void note_tables(const WorkloadSpec& spec, const Workload& workload);
  void note_convergence(const WorkloadSpec& spec, const Workload& workload);  ///< needs a law
  /// `version`: what stands for the software, stated or not.
  void note_framework(const WorkloadSpec& spec, const std::string& version, const FrameworkProfile& profile);
  void note_exchange(const WorkloadSpec& spec, const Workload& workload, const FrameworkProfile& profile);
  void note_storage(const StorageFacts& storage);
  void note_input(const InputContext& context, const InputPathFacts& host);

  [[nodiscard]] const std::vector<Assumption>& assumptions() const { return assumptions_; }
  [[nodiscard]] const std::vector<doc::Reason>& warnings() const { return warnings_; }

 private:
  std::vector<Assumption> assumptions_;
  std::vector<doc::Reason> warnings_;
};

}  // namespace rackcast

#pragma once
/// The kernels of operators that have been asked for: layers of a transformer are alike. Of other networks
/// few operators are, and looking would cost more than it saves. Private to models/frameworks.
#include <map>
#include <tuple>

#include "models/gpu/cost.hpp"
#include "models/networks/operator.hpp"

namespace rackcast {

struct OperatorKernels {
  KernelCost cost;
  Duration layout{0};  ///< transposes around them
};

/// Of one step, so of one GPU, batch and framework. The operators must outlive it.
class KnownKernels {
 public:
  template <class Ask>
  OperatorKernels of(const Operator& op, Pass pass, Precision precision, const Ask& ask) {
    if (op.place.layer == 0) return ask();
    const Asked asked{&op, pass, precision};
    auto found = known_.find(asked);
    if (found == known_.end()) found = known_.emplace(asked, ask()).first;
    return found->second;
  }

 private:
  struct Asked {
    const Operator* op = nullptr;
    Pass pass = Pass::forward;
    Precision precision = Precision::fp32;

    /// What a library call follows from (models/gpu/lowering.cpp): not the operator's name and place.
    [[nodiscard]] auto parts() const {
      return std::tie(pass, precision, op->family, op->kind, op->shape, op->first_layer, op->frozen,
                      op->keeps_16_bits);
    }
    friend bool operator<(const Asked& a, const Asked& b) { return a.parts() < b.parts(); }
  };

  std::map<Asked, OperatorKernels> known_;
};

}  // namespace rackcast

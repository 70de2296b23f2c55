#pragma once
/// Failures of one question: catalogue and scenario turned into goodput (models/reliability).
#include <optional>
#include <string>

#include "models/data_path/checkpoint.hpp"
#include "models/reliability/failure_rates.hpp"
#include "models/reliability/goodput.hpp"
#include "scenarios/format/failure_spec.hpp"

namespace rackcast {

class Catalog;
class Ledger;
struct NodeSpec;

/// What saving costs, and going on from what was saved; nothing is known of `write` where the scenario states
/// the stall.
struct SaveCost {
  Bytes checkpoint{0};
  Duration write{0}, stall{0};
  Duration restored{0};  ///< reading the state back, and warming up again
};

struct FailurePlan {
  NodeReliability node;
  int nodes = 1;  ///< of the job
  SaveCost save;
  Duration detection{0}, restart{0}, repair{0};
  IntervalRule rule = IntervalRule::daly;
  double in_repair = 0;  ///< nodes, on average
  int spares = 0, enough_95 = 0;
  bool spares_given = false;
  GoodputSpec spec;
  Goodput goodput;
};

/// Number of spare nodes for a job of `nodes`: as the scenario states, else as many as suffice with a
/// probability of 95 %. Spares are bought, racked and powered like the others.
int spare_nodes(const Catalog& catalog, const NodeSpec& node, int nodes, const FailureSpec& failures);

/// `idle`: nodes that the cluster has beside those of the job; they are spares before others are bought.
/// `rate_scale` multiplies the failure rates after interval and spares have been chosen for a scale of 1.
FailurePlan failure_plan(const Catalog& catalog, const NodeSpec& node, int nodes, int idle,
                         const FailureSpec& failures, const SaveCost& save, double rate_scale);

/// The same interval and spares, with other costs.
void set_cost(FailurePlan& plan, const SaveCost& save);

/// Notes the catalogue facts and defaults that the plan rests on, those of the node by its name.
void note_failures(Ledger& ledger, const FailurePlan& plan, const FailureSpec& failures,
                   const std::string& node);

}  // namespace rackcast

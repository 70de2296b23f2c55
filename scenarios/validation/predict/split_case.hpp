#pragma once
/// Training runs whose network is split over GPUs (models/split/split_training.hpp).
#include "models/step/training.hpp"
#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {

/// Are low-rank adapters trained, and the network's own weights kept?
bool trains_adapters(const ValidationCase& c);
/// Such a run whose split is not stated has the usual one.
bool split_is_taken(const ValidationCase& c);
/// Does the case state a tensor- or pipeline-parallel split?
bool is_split(const ValidationCase& c);
/// Whether one copy of the network takes GPUs of several nodes. Throws Unpredictable like split_run().
bool splits_between_nodes(PredictionContext& context, const ValidationCase& c);

/// Number of GPUs in one way of a stated split, such as "tp" or "pp" (for "vpp": parts of the network per
/// stage); 1 where the split does not state it. Throws Unpredictable unless it is a whole number from 1 to
/// 100,000.
int ways_of(const Json& split, std::string_view key);
/// The same for the split of the case's training.
int ways_of_case(const ValidationCase& c, std::string_view key);

/// What is sharded over the replicas: 1 the optimizer's states, 2 gradients as well, 3 weights as well.
/// Throws Unpredictable where weights are sharded within nodes only.
int zero_stage_of_case(const ValidationCase& c);

/// The step, with all waiting as exchange, on a GPU and a network that are faster by these factors. Throws
/// Unpredictable for splits that have no model.
TrainingRun split_run(PredictionContext& context, const ValidationCase& c, double compute_scale = 1,
                      double network_scale = 1);

}  // namespace rackcast

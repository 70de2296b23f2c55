#pragma once
/// The load of the samples of all crews on links, storage and hosts. Private to data_parallel.
#include <vector>

#include "models/step/crews.hpp"
#include "models/step/data_parallel.hpp"
#include "models/step/link_merger.hpp"

namespace rackcast {

/// Of the links, for each crew's samples. The plan's crews must know their input patterns.
std::vector<PatternPart> input_parts(const Cluster& cluster, const TrainingSpec& spec,
                                     const std::vector<Crew>& crews, const DataParallelPlan& plan);

/// Appends what is no link: the storage, which is everybody's, and what each node has for itself.
void add_input(const Cluster& cluster, const InputSpec& in, const std::vector<Crew>& crews,
               DataParallelPlan& plan);

}  // namespace rackcast

#pragma once
/// The answers to "how many nodes" (size) and "how long on this cluster" (simulate).
#include <string>

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/run_control.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

class Catalog;
class Tracer;

/// Smallest number of nodes that trains every workload within the deadline, each on its own on the whole
/// cluster; with the proof that one node fewer fails, what binds, what would change the answer, and the same
/// for the alternative node types. An impossible goal is an answer too: feasible = false with the conflicts.
///
/// Time falls with the number of nodes until something shared saturates. The search doubles the count until
/// the deadline is met, halves the interval, and then checks the neighbour below; beyond `max_nodes` it gives
/// up.
///
/// A limit of `control` ends the search with what is known so far; the result is then marked partial.
/// Throws Error if the scenario has no goal or names something unknown.
Result size(const Scenario& scenario, const Catalog& catalog, const RunControl& control = {});

/// Time to train each workload on the cluster as the scenario gives it.
Result simulate(const Scenario& scenario, const Catalog& catalog, Tracer* tracer = nullptr,
                const RunControl& control = {});

/// Resolves every name of the scenario against the catalogue and the networks, without simulating. Throws
/// Error at the first that is unknown.
void check_names(const Scenario& scenario, const Catalog& catalog);

}  // namespace rackcast

#pragma once
/// A GPU architecture of the catalogue: what GPUs of one kind have in common besides their rates.
#include <string>
#include <string_view>
#include <vector>

#include "topologies/catalog/catalog.hpp"

namespace rackcast {

struct ArchitectureSpec {
  std::string id, name, vendor;
  int generation = 0;              ///< place in the maker's order
  double compute_capability = 0;   ///< NVIDIA's; 0 elsewhere
  std::string collective_library;  ///< "nccl", "rccl" or "none"
  std::string collective_release;  ///< release of that library, current when most GPUs of the architecture
                                   ///< were measured
  std::string failure_era;         ///< of reliability/planning_defaults, node_mtbf_h
  std::string replacement_era;     ///< of reliability/gpu_practice
  std::string jpeg_engine;         ///< "all", "some" or "none" of its GPUs decode JPEG in an engine
  std::string oldest_cudnn;        ///< oldest library generation that runs on it
  bool own_attention_instructions = false;  ///< kernels for older architectures do not reach its peak
  /// Ratio: time of a kernel that computes statistics over a batch / time to move the same bytes.
  double statistics_slowdown = 1;
  /// Ratio: arithmetic time with parameters borrowed from another architecture / its own, at the same peak
  /// rate.
  double borrowed_slowdown = 1;
  std::vector<std::string> fitted_on;  ///< cases of tests/validation/cases behind these two
  std::string first_container;         ///< month of the first container that runs on it; empty: any
  std::string server_socket_link;      ///< between CPUs of servers of its years; empty: the template's
};

/// Throws Error for an architecture that nobody described, with what to add, and for a missing fact.
ArchitectureSpec architecture_spec(const Catalog& catalog, std::string_view name);

/// Of the catalogue that travels inside the program; nullptr if it has none of that name.
const ArchitectureSpec* builtin_architecture(std::string_view name);

/// Steps between two architectures in the order of their maker; a large number for those of two makers.
int architecture_distance(const ArchitectureSpec& a, const ArchitectureSpec& b);

}  // namespace rackcast

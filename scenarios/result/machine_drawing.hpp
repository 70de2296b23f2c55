#pragma once
/// Drawings of the answered machine, as the result document carries them.
#include <string>
#include <vector>

#include "scenarios/document/drawing.hpp"
#include "topologies/drawings/picture.hpp"

namespace rackcast {

struct Cluster;

struct MachineDrawing {
  std::string of;            ///< "node" or "network"
  std::string title, words;  ///< words: what it shows, for those who cannot see it
  Picture picture;
};

/// The wiring of one node, and the network between nodes where there is one and its drawing is not too large
/// for a page.
std::vector<MachineDrawing> machine_drawings(const Cluster& cluster);

std::vector<doc::MachineDrawing> drawings_document(const std::vector<MachineDrawing>& drawings);

}  // namespace rackcast

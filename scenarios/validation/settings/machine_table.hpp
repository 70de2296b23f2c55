#pragma once
/// Which node of the catalogue stands for what a source says of its machine:
/// models/data/benchmarks/servers.json.
#include <string>
#include <string_view>

#include "sim/json/reader.hpp"

namespace rackcast {

struct ValidationCase;

/// The machine that the source describes in these words, or nullptr.
const Json* machine_in(std::string_view note);
/// The node that has the wiring which a source names, by the beginning of the GPU's name, or nullptr.
const Json* machine_with(const std::string& wiring, std::string_view gpu);
/// Whether the software of the case uses direct links between GPUs.
bool knows_gpu_links(const ValidationCase& c);

}  // namespace rackcast

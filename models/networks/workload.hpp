#pragma once
/// Networks by name or file. See models/README.md for the language of the files.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"

namespace rackcast {

class Json;

struct WorkloadOptions {
  std::optional<std::array<std::int64_t, 3>> image = {};  ///< height, width, channels; for image networks
  std::optional<std::int64_t> seq_len = {};  ///< tokens or frames of a sample; for sequence networks
  bool auxiliary_heads = false;              ///< expand side branches that serve training only
};

/// Name of the network that comes with the program and is called so: its name or one of its aliases, in upper
/// or lower case, with or without hyphens ("ResNet-50", "meta-llama/Llama-3.1-70B"); nothing if there is
/// none.
std::optional<std::string> find_workload(std::string_view name);

/// A network that comes with the program (see find_workload()), or else a file (a path: it has a slash or
/// ends in ".json"). Throws Error on an unknown name (with near matches), a broken file, or an option the
/// network has no use for.
Workload load_workload(std::string_view name_or_path, const WorkloadOptions& options = {});

/// The same from parsed JSON; `extends` may name networks that come with the program.
Workload read_workload(const Json& file, std::string name, const WorkloadOptions& options = {});

/// A network that a user describes: checked against the schema first. Its name is its title.
Workload own_network(const Json& json, const WorkloadOptions& options);

/// The text of the JSON schema of such a file.
std::string_view network_schema();

struct WorkloadSummary {
  std::string name, title, task;
  std::vector<std::string> aliases;
};
/// The networks that come with the program, sorted by name.
std::vector<WorkloadSummary> workload_list();

/// One line of `rackcast catalog show model NAME`.
struct LayerRow {
  std::string layer, kind, output;
  double parameters = 0;
  Flop forward_flop{0};  ///< per sample
};
std::vector<LayerRow> layer_table(const Workload& workload);

}  // namespace rackcast

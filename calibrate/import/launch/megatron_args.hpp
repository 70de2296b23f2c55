#pragma once
/// Parts of the importer of Megatron-LM's arguments. Private to calibrate/import/launch.
///
/// Names and defaults are those of megatron/training/arguments.py and the configuration classes that it turns
/// into options (github.com/NVIDIA/Megatron-LM, August 2026), with the names of NeMo's YAML beside them.
#include <optional>
#include <string>
#include <vector>

#include "calibrate/import/launch/argument_list.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"

namespace rackcast {

class MegatronArguments {
 public:
  MegatronArguments(const ArgumentList& list, std::vector<std::string>& warnings)
      : list_{list}, warnings_{warnings} {}

  /// The option under this name of Megatron-LM, or another that it goes by; nothing if it is missing.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view name, std::int64_t low = 1,
                                                  std::int64_t high = 1'000'000) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// Throws Error at the option.
  [[noreturn]] void fail(std::string_view name, const std::string& message, const std::string& hint) const;
  void warn(std::string text) const { warnings_.push_back(std::move(text)); }
  /// A configuration of NeMo's, which has defaults and keys of its own.
  [[nodiscard]] bool is_nemo() const;
  [[nodiscard]] const ArgumentList& list() const { return list_; }

 private:
  [[nodiscard]] std::string_view name_in_file(std::string_view name) const;

  const ArgumentList& list_;
  std::vector<std::string>& warnings_;
};

/// What the options say of the network, or nothing where they leave it open, with a warning that says why.
/// Throws Error for numbers that do not fit each other.
std::optional<TransformerShape> megatron_shape(const MegatronArguments& in);

/// What the file says of the machines; 0 where it leaves that open.
struct Machines {
  std::int64_t nodes = 0, gpus_per_node = 0;
  std::string_view nodes_option = "nnodes", gpus_option = "nproc-per-node";  ///< that say so
  bool nodes_assumed = false, gpus_assumed = false;  ///< by the default of a variable: "${NNODES:-1}"
  [[nodiscard]] std::int64_t gpus() const { return nodes * gpus_per_node; }
};

/// Nodes and GPUs from the options of torchrun, NeMo, #SBATCH and srun, in this order. One whose value is a
/// variable of the job, or a word such as "auto", is passed over.
Machines machines_of(const MegatronArguments& in);

/// The same machines, once the split and the batch go with them. Throws Error at the option for a number of
/// GPUs that contradicts them; one that is the default of a variable is left open, with a warning.
Machines checked_machines(const MegatronArguments& in, const Mesh& mesh, Machines machines);

/// One warning for the options that no one here knows, and one for each that means something for time or
/// memory which a scenario cannot say.
void warn_of_others(const MegatronArguments& in);

}  // namespace rackcast

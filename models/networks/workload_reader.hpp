#pragma once
/// Expands a workload file into operators. The language is described in models/README.md.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/layer_kinds.hpp"
#include "models/networks/workload.hpp"

namespace rackcast {

class WorkloadReader {
 public:
  static constexpr int max_nesting = 40;
  static constexpr int max_layers = 200'000;  ///< expanded, over the whole file
  static constexpr std::int64_t max_repeat = 10'000;

  explicit WorkloadReader(WorkloadOptions options) : options_(options) {}

  /// The whole file, `extends` already applied.
  Workload read(const Json& file);

  // For layer functions.
  NetworkBuilder& network() { return network_; }
  [[nodiscard]] const WorkloadOptions& options() const { return options_; }
  Flow run(const Json& layers, const Scope& scope, Flow flow);
  void save(const std::string& name, const Flow& flow) { saved_.insert_or_assign(name, flow); }
  [[nodiscard]] const Flow& saved(const Json& name) const;
  /// Another input of the network ({"tokens": 50}); its bytes are added to those of a sample.
  Flow read_input(const Json& input, const Scope& scope);

 private:
  struct Block {
    Json layers;
    std::map<std::string, Json, std::less<>> defaults;
    std::vector<std::string> parameters;  ///< every $name its layers mention and the file does not define
  };

  void read_description(ObjectReader& file);
  void read_parameters(ObjectReader& file);
  void read_blocks(ObjectReader& file);
  void read_defaults(ObjectReader& file);
  Flow run_layer(const Json& layer, const Scope& scope, const Flow& flow);
  Flow run_once(LayerArguments& arguments, const std::string& name, const Flow& flow);
  Flow run_block(const Block& block, LayerArguments& arguments, const std::string& name, const Flow& flow);
  [[noreturn]] void unknown_kind(const LayerArguments& arguments) const;

  WorkloadOptions options_;
  Workload workload_;
  NetworkBuilder network_;
  Scope file_scope_;
  std::map<std::string, Block, std::less<>> blocks_;
  std::map<std::string, Json, std::less<>> defaults_;
  std::map<std::string, Flow, std::less<>> saved_;
  int nesting_ = 0, layers_ = 0;
};

}  // namespace rackcast

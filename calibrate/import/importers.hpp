#pragma once
/// One importer for each kind of file. Private to calibrate/import.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/import_source.hpp"

namespace rackcast {

class Catalog;

/// What an importer fills.
struct ImportOutput {
  explicit ImportOutput(nlohmann::ordered_json& json) : body{json} {}

  nlohmann::ordered_json& body;  ///< an object: the members of the document that the kind has
  std::string version;           ///< of the tool or its format, as the file says it; may stay empty
  std::string summary;           ///< one line for people
  std::vector<std::string> warnings;
};

void import_nccl_tests(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_fio(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_nvidia_smi_topo(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_nvidia_smi_xml(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_nccl_topo_xml(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_ibnetdiscover(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_lstopo(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_hf_config(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_onnx(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_torch_fx(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_slurm_nodes(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_power_log(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_megatron_args(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_deepspeed(const Catalog& catalog, const ImportSource& source, ImportOutput& out);
void import_mllog(const Catalog& catalog, const ImportSource& source, ImportOutput& out);

}  // namespace rackcast

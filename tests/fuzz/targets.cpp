#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

using Bytes = const std::string&;

constexpr std::array all{
    Target{"json", Form::json, read_json},
    Target{"units", Form::bytes, read_units},
    Target{"scenario_text", Form::json, read_scenario_text},
    Target{"answer", Form::json, read_answer},
    Target{"network", Form::json, read_network},
    Target{"calibration", Form::json, read_calibration_file},
    Target{"chakra", Form::bytes, read_chakra_trace},
    Target{"kineto", Form::json, read_kineto_trace},
    Target{"axes", Form::bytes, read_axes},
    Target{"sacct", Form::bytes, read_sacct_log},
    Target{"cases", Form::json, read_validation_cases},
    Target{"sweep_file", Form::bytes, read_sweep_file},
    Target{"catalogue", Form::json, read_catalogue_entry},
    Target{"result", Form::json, read_result_document},
    Target{"campaign", Form::json, read_campaign_document},
    Target{"comparison", Form::json, read_comparison_document},
    Target{"validation", Form::json, read_validation_document},
    Target{"scaling", Form::json, read_scaling_document},
    Target{"table", Form::json, read_table_document},
    Target{"box", Form::json, read_measured_box},
    Target{"kernel_table", Form::bytes, read_kernel_table},
    Target{"leader_says", Form::json_lines, read_messages_of_leader},
    Target{"follower_says", Form::json_lines, read_messages_of_follower},
    Target{"import", Form::bytes, read_any_import},
    Target{"import_fio", Form::bytes,
           [](Bytes b) {
             read_import("fio", b);
           }},
    Target{"import_fio_json", Form::json,
           [](Bytes b) {
             read_import("fio", b);
           }},
    Target{"import_hf_config", Form::json,
           [](Bytes b) {
             read_import("hf-config", b);
           }},
    Target{"import_megatron_args", Form::bytes,
           [](Bytes b) {
             read_import("megatron-args", b);
           }},
    Target{"import_deepspeed", Form::json,
           [](Bytes b) {
             read_import("deepspeed", b);
           }},
    Target{"import_onnx", Form::bytes,
           [](Bytes b) {
             read_import("onnx", b);
           }},
    Target{"import_torch_fx", Form::json,
           [](Bytes b) {
             read_import("torch-fx", b);
           }},
    Target{"import_ibnetdiscover", Form::bytes,
           [](Bytes b) {
             read_import("ibnetdiscover", b);
           }},
    Target{"import_lstopo", Form::bytes,
           [](Bytes b) {
             read_import("lstopo", b);
           }},
    Target{"import_mllog", Form::bytes,
           [](Bytes b) {
             read_import("mllog", b);
           }},
    Target{"import_nccl_tests", Form::bytes,
           [](Bytes b) {
             read_import("nccl-tests", b);
           }},
    Target{"import_nccl_tests_json", Form::json,
           [](Bytes b) {
             read_import("nccl-tests", b);
           }},
    Target{"import_nccl_topo", Form::bytes,
           [](Bytes b) {
             read_import("nccl-topo-xml", b);
           }},
    Target{"import_nvidia_smi_topo", Form::bytes,
           [](Bytes b) {
             read_import("nvidia-smi-topo", b);
           }},
    Target{"import_nvidia_smi_xml", Form::bytes,
           [](Bytes b) {
             read_import("nvidia-smi-xml", b);
           }},
    Target{"import_power_log", Form::bytes,
           [](Bytes b) {
             read_import("power-log", b);
           }},
    Target{"import_slurm_nodes", Form::bytes,
           [](Bytes b) {
             read_import("slurm-nodes", b);
           }},
};

/// Control characters but the ends of lines: they move a terminal's cursor, or worse.
bool harmless(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7f;
  });
}

}  // namespace

std::span<const Target> targets() {
  return all;
}

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(all, name, &Target::name);
  return found == all.end() ? nullptr : &*found;
}

bool accepts(const Target& target, const std::string& bytes) {
  try {
    target.read(bytes);
    return true;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal) throw;
    promise(!e.message().empty(), "an Error says what is wrong");
    promise(harmless(e.what()), "the message of an Error is safe to print");
    return false;
  }
}

void promise(bool holds, const char* what) {
  if (!holds) throw std::logic_error{std::string{"broken promise: "} + what};
}

}  // namespace rackcast::fuzz

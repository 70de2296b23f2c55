#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

using Bytes = const std::string&;

constexpr std::array all{
    Target{"json", true, read_json},
    Target{"units", false, read_units},
    Target{"scenario_text", true, read_scenario_text},
    Target{"answer", true, read_answer},
    Target{"network", true, read_network},
    Target{"calibration", true, read_calibration_file},
    Target{"axes", false, read_axes},
    Target{"sacct", false, read_sacct_log},
    Target{"cases", true, read_validation_cases},
    Target{"sweep_file", false, read_sweep_file},
    Target{"catalogue", true, read_catalogue_entry},
    Target{"result", true, read_result_document},
    Target{"campaign", true, read_campaign_document},
    Target{"comparison", true, read_comparison_document},
    Target{"validation", true, read_validation_document},
    Target{"scaling", true, read_scaling_document},
    Target{"table", true, read_table_document},
    Target{"box", true, read_measured_box},
    Target{"kernel_table", false, read_kernel_table},
    Target{"leader_says", false, read_messages_of_leader},
    Target{"follower_says", false, read_messages_of_follower},
    Target{"import", false, read_any_import},
    Target{"import_fio", false,
           [](Bytes b) {
             read_import("fio", b);
           }},
    Target{"import_fio_json", true,
           [](Bytes b) {
             read_import("fio", b);
           }},
    Target{"import_hf_config", true,
           [](Bytes b) {
             read_import("hf-config", b);
           }},
    Target{"import_ibnetdiscover", false,
           [](Bytes b) {
             read_import("ibnetdiscover", b);
           }},
    Target{"import_lstopo", false,
           [](Bytes b) {
             read_import("lstopo", b);
           }},
    Target{"import_mllog", false,
           [](Bytes b) {
             read_import("mllog", b);
           }},
    Target{"import_nccl_tests", false,
           [](Bytes b) {
             read_import("nccl-tests", b);
           }},
    Target{"import_nccl_tests_json", true,
           [](Bytes b) {
             read_import("nccl-tests", b);
           }},
    Target{"import_nccl_topo", false,
           [](Bytes b) {
             read_import("nccl-topo-xml", b);
           }},
    Target{"import_nvidia_smi_topo", false,
           [](Bytes b) {
             read_import("nvidia-smi-topo", b);
           }},
    Target{"import_nvidia_smi_xml", false,
           [](Bytes b) {
             read_import("nvidia-smi-xml", b);
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

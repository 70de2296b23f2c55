/// `nvidia-smi -q -x`: the GPUs of a machine with memory, PCIe link, clocks and power limits. Serial numbers,
/// UUIDs, processes and accounting stand in the same file and are never read. Names of elements changed with
/// the driver (power_readings became gpu_power_readings with 525): both are known. Form:
/// nvsmi_device_v*.dtd.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import_xml.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/node_document.hpp"
#include "sim/base/utf8.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

struct SmiGpu {
  std::string name;
  double memory_mib = 0, power_w = 0, clock_mhz = 0;
  int generation = 0, width = 0;
  bool sliced = false;  ///< MIG
};

/// "16160 MiB" with the unit that is expected; 0 where the element is absent.
double with_unit(const ImportXml& xml, const pugi::xml_node& node, const char* child, std::string_view unit,
                 double high) {
  const std::string_view text = ImportXml::text(node, child);
  if (text.empty()) return 0;
  const auto parts = words(text);
  if (parts.size() != 2 || parts[1] != unit)
    xml.fail(node.child(child), fmt::format("{} is not a number with the unit {}", in_quotes(text), unit));
  const auto value = to_number(parts[0]);
  if (!value || *value < 0 || *value > high)
    xml.fail(node.child(child), fmt::format("{} is out of range", in_quotes(text)));
  return *value;
}

int small_number(const ImportXml& xml, const pugi::xml_node& node, const char* child) {
  std::string_view text = ImportXml::text(node, child);
  if (text.ends_with('x')) text.remove_suffix(1);  // "16x"
  if (text.empty()) return 0;
  const auto value = to_number(text);
  if (!value || *value < 0 || *value > 64)
    xml.fail(node.child(child), fmt::format("{} is no PCIe generation or width", in_quotes(text)));
  return static_cast<int>(*value);
}

SmiGpu read_gpu(const ImportXml& xml, const pugi::xml_node& node) {
  SmiGpu g;
  g.name = product_name(ImportXml::text(node, "product_name"));
  if (g.name.empty())
    xml.fail(node, "a GPU without a product_name", "save the whole output of nvidia-smi -q -x");
  g.memory_mib = with_unit(xml, node.child("fb_memory_usage"), "total", "MiB", 1e9);
  const pugi::xml_node link = node.child("pci").child("pci_gpu_link_info");
  g.generation = small_number(xml, link.child("pcie_gen"), "max_link_gen");
  g.width = small_number(xml, link.child("link_widths"), "max_link_width");
  g.clock_mhz = with_unit(xml, node.child("max_clocks"), "sm_clock", "MHz", 1e5);
  for (const char* readings : {"power_readings", "gpu_power_readings"}) {
    const pugi::xml_node power = node.child(readings);
    for (const char* limit : {"enforced_power_limit", "current_power_limit", "power_limit"})
      if (g.power_w == 0) g.power_w = with_unit(xml, power, limit, "W", 1e5);
  }
  g.sliced = ImportXml::text(node.child("mig_mode"), "current_mig") == "Enabled";
  return g;
}

nlohmann::ordered_json gpu_json(const SmiGpu& g) {
  nlohmann::ordered_json out{{"name", g.name}};
  if (g.memory_mib > 0) out["memory"] = fmt::format("{:g} MiB", g.memory_mib);
  if (g.generation > 0) out["pcie_generation"] = g.generation;
  if (g.width > 0) out["pcie_lanes"] = g.width;
  if (g.clock_mhz > 0) out["highest_clock"] = fmt::format("{:g} MHz", g.clock_mhz);
  if (g.power_w > 0) out["power_limit"] = fmt::format("{:g} W", g.power_w);
  return out;
}

void compare_with_catalogue(const Catalog& catalog, const SmiGpu& gpu, const std::string& id,
                            ImportOutput& out) {
  const GpuSpec spec = gpu_spec(catalog, id);
  const auto note = [&](const std::string& what) {
    out.warnings.push_back(fmt::format("{}: {}", gpu.name, what));
  };
  if (spec.tdp && gpu.power_w > 0 && gpu.power_w < 0.95 * spec.tdp->value.base())
    note(fmt::format("limited to {:g} W, and the catalogue's has {:g} W: kernels will be slower than fitted",
                     gpu.power_w, spec.tdp->value.base()));
  if (gpu.width > 0 && gpu.width < value_or(spec.pcie_lanes, 16))
    note(fmt::format("only {} of {} PCIe lanes are connected", gpu.width, value_or(spec.pcie_lanes, 16)));
  const double memory = gpu.memory_mib * (1 << 20), known = spec.memory.value.base();
  if (memory > 0 && (memory < 0.8 * known || memory > 1.2 * known))
    note(fmt::format("has {:.1f} GB of memory, and the catalogue's {} has {:.0f} GB", memory / 1e9, id,
                     known / 1e9));
}

}  // namespace

void import_nvidia_smi_xml(const Catalog& catalog, const ImportSource& source, ImportOutput& out) {
  const ImportXml xml{source};
  if (xml.root().name() != std::string_view{"nvidia_smi_log"})
    xml.fail(xml.root(), "the document is not an nvidia_smi_log", "write it with `nvidia-smi -q -x`");
  if (const std::string_view driver = ImportXml::text(xml.root(), "driver_version"); !driver.empty())
    out.version = fmt::format("driver {}", driver);
  std::vector<SmiGpu> gpus;
  for (const pugi::xml_node& node : xml.root().children("gpu")) {
    if (gpus.size() == most_devices) xml.fail(node, "more than 1024 GPUs");
    gpus.push_back(read_gpu(xml, node));
  }
  if (gpus.empty()) xml.fail(xml.root(), "the file lists no GPU");
  const std::string_view attached = ImportXml::text(xml.root(), "attached_gpus");
  if (const auto count = to_number(attached); count && *count != static_cast<double>(gpus.size()))
    out.warnings.push_back(fmt::format("{:g} GPUs are attached and {} are in the file", *count, gpus.size()));
  out.body["gpus"] = nlohmann::ordered_json::array();
  for (const SmiGpu& gpu : gpus) {
    out.body["gpus"].push_back(gpu_json(gpu));
    if (gpu.name != gpus.front().name)
      out.warnings.push_back(fmt::format("GPUs differ ({} and {}): the node template has the first kind only",
                                         gpus.front().name, gpu.name));
    if (gpu.sliced) out.warnings.push_back(gpu.name + ": split by MIG; the template takes it as a whole");
  }
  ImportedNode node;
  node.gpus = static_cast<int>(gpus.size());
  if (const auto id = catalogue_gpu(catalog, gpus.front().name)) {
    node.gpu_id = *id;
    node.gpus_per_board = gpu_spec(catalog, *id).per_board;
    for (const SmiGpu& gpu : gpus)
      if (gpu.name == gpus.front().name) compare_with_catalogue(catalog, gpu, *id, out);
  } else {
    out.warnings.push_back(
        fmt::format("{} is not in the catalogue, or not by one name only", in_quotes(gpus.front().name)));
  }
  node.pcie_generation = std::min(gpus.front().generation, 7);
  if (node.pcie_generation == 0) out.warnings.emplace_back("the PCIe generation is not in the file");
  out.warnings.emplace_back("NVLinks are not in this file: import `nvidia-smi topo -m` for the wiring");
  add_node(std::move(node), "nvidia-smi -q -x", out);
}

}  // namespace rackcast

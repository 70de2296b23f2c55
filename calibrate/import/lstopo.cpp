/// XML of lstopo (hwloc 1.x with "Socket"/"Package" and "Bridge" objects, 2.x with memory children): CPUs,
/// cores, memory, GPUs and network adapters with the CPU that they hang from. The host's name, DMI data and
/// addresses stand among the "info" elements; only the CPU's model is read of these. Form: hwloc manual,
/// "Importing and exporting topologies from/to XML".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import_xml.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/node_document.hpp"
#include "sim/base/utf8.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

struct Found {
  int packages = 0, cores = 0, ports = 0;
  double memory = 0;
  std::string cpu_model;
  std::vector<std::string> gpu_names;
  std::vector<ImportedBranch> branches;
  double gpu_link_bytes = 0;  ///< per second, of the first GPU's PCIe link
};

std::string_view info(const pugi::xml_node& object, std::string_view name) {
  for (const pugi::xml_node& item : object.children("info"))
    if (item.attribute("name").value() == name) return item.attribute("value").value();
  return {};
}

/// PCI class in front of "0302 [10de:1db1] [...]".
int pci_class(const pugi::xml_node& object) {
  const std::string_view type = object.attribute("pci_type").value();
  int value = 0;
  for (const char c : type.substr(0, 4)) {
    const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
    if (!digit && !letter) return -1;
    value = value * 16 + (digit ? c - '0' : c - 'a' + 10);
  }
  return type.size() < 4 ? -1 : value;
}

bool is_nvidia_or_amd(const pugi::xml_node& object) {
  const std::string_view type = object.attribute("pci_type").value();
  return type.find("[10de:") != std::string_view::npos || type.find("[1002:") != std::string_view::npos;
}

/// A child of PCI device is what the system made of it: OpenFabrics devices are what training uses.
bool has_fabric_port(const pugi::xml_node& pci) {
  for (const pugi::xml_node& child : pci.children("object")) {
    const std::string_view type = child.attribute("osdev_type").value();
    if (child.attribute("type").value() == std::string_view{"OSDev"} &&
        (type == "3" || type == "OpenFabrics"))
      return true;
  }
  return false;
}

class Walk {
 public:
  Walk(const ImportXml& xml, Found& found) : xml_{xml}, found_{found} {}

  /// Recursion is bounded: ImportXml refuses deep documents.
  void object(const pugi::xml_node& node, int cpu, const std::string& branch) {
    const std::string_view type = node.attribute("type").value();
    int here = cpu;
    std::string below = branch;
    if (type == "Package" || type == "Socket") {
      here = found_.packages++;
      if (found_.cpu_model.empty()) found_.cpu_model = product_name(info(node, "CPUModel"));
      if (found_.packages > most_devices) xml_.fail(node, "more than 1024 CPUs");
    } else if (type == "Core") {
      ++found_.cores;
    } else if (type == "Bridge" && node.attribute("bridge_type").value() == std::string_view{"1-1"}) {
      below = bridge(node, here, branch);
    } else if (type == "PCIDev") {
      device(node, here, branch);
    }
    // NUMA nodes and, in hwloc 1.x on machines without them, the machine itself.
    if (type == "NUMANode" || type == "Machine")
      found_.memory += xml_.number(node, "local_memory", 0, 1e18, 0);
    for (const pugi::xml_node& child : node.children("object")) object(child, here, below);
  }

 private:
  /// A bridge is a switch if several devices that count hang below it.
  std::string bridge(const pugi::xml_node& node, int cpu, const std::string& above) {
    if (devices_below(node, 0) < 2) return above;
    std::string name = fmt::format("plx{}", bridges_++);
    found_.branches.push_back({name, std::max(0, cpu), {}, 0, above});
    return name;
  }

  static int devices_below(const pugi::xml_node& node, int sum) {
    for (const pugi::xml_node& child : node.children("object")) {
      if (counts(child)) ++sum;
      sum = devices_below(child, sum);
    }
    return sum;
  }
  static bool is_gpu(const pugi::xml_node& node) {
    const int kind = pci_class(node);
    return (kind == 0x300 || kind == 0x302 || kind == 0x380 || kind == 0x1200) && is_nvidia_or_amd(node);
  }
  static bool counts(const pugi::xml_node& node) {
    return node.attribute("type").value() == std::string_view{"PCIDev"} &&
           (is_gpu(node) || has_fabric_port(node));
  }

  void device(const pugi::xml_node& node, int cpu, const std::string& branch) {
    if (!counts(node)) return;
    const auto at = std::ranges::find_if(found_.branches, [&](const ImportedBranch& b) {
      return b.name == branch && b.cpu == std::max(0, cpu);
    });
    ImportedBranch* place = at == found_.branches.end() ? nullptr : &*at;
    if (!place) place = &found_.branches.emplace_back(ImportedBranch{branch, std::max(0, cpu), {}, 0, {}});
    if (is_gpu(node)) {
      if (found_.gpu_names.size() == most_devices) xml_.fail(node, "more than 1024 GPUs");
      place->gpus.push_back(static_cast<int>(found_.gpu_names.size()));
      found_.gpu_names.push_back(gpu_name(node));
      if (found_.gpu_link_bytes == 0)
        found_.gpu_link_bytes = xml_.number(node, "pci_link_speed", 0, 1e4, 0) * 1e9;
    } else {
      if (++found_.ports > most_devices) xml_.fail(node, "more than 1024 adapters");
      ++place->nics;
    }
  }

  /// NVML's name of the device if hwloc was built with it, else that of the PCI database: "GV100GL [Tesla
  /// V100 SXM2 16GB]".
  static std::string gpu_name(const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children("object"))
      if (const std::string_view model = info(child, "GPUModel"); !model.empty()) return product_name(model);
    const std::string_view device = info(node, "PCIDevice");
    return product_name(between(device, "[", "]").value_or(device));
  }

  const ImportXml& xml_;
  Found& found_;
  int bridges_ = 0;
};

/// The generation whose x16 link has about this rate; hwloc gives what one direction carries.
int generation_of(double bytes_per_s) {
  constexpr std::array<double, 5> x16{4e9, 8e9, 15.75e9, 31.5e9, 63e9};
  for (std::size_t i = 0; i < x16.size(); ++i)
    if (std::abs(bytes_per_s - x16[i]) < 0.1 * x16[i]) return static_cast<int>(i) + 1;
  return 0;
}

}  // namespace

void import_lstopo(const Catalog& catalog, const ImportSource& source, ImportOutput& out) {
  if (!trimmed(source.text()).starts_with('<'))
    source.fail(std::size_t{0},
                "this is lstopo's text or another form that is not XML, without models and link speeds",
                "save the topology as XML, with devices: lstopo --whole-io --of xml topo.xml");
  const ImportXml xml{source};
  if (xml.root().name() != std::string_view{"topology"})
    xml.fail(xml.root(), "the document is not a <topology> of hwloc", "save it with: lstopo topo.xml");
  const std::string_view version = xml.root().attribute("version").value();
  out.version = version.empty() ? "hwloc 1.x" : fmt::format("hwloc XML {}", version);
  Found found;
  Walk walk{xml, found};
  for (const pugi::xml_node& machine : xml.root().children("object")) walk.object(machine, 0, "");
  if (found.packages == 0) xml.fail(xml.root(), "the topology holds no CPU package");
  if (found.gpu_names.empty())
    xml.fail(xml.root(), "the topology holds no GPU, so there is no node to make of it",
             "run lstopo with I/O devices: lstopo --whole-io topo.xml");
  ImportedNode node;
  node.gpus = static_cast<int>(found.gpu_names.size());
  node.sockets = found.packages;
  node.cores = found.cores;
  node.memory_bytes = found.memory;
  node.cpu_model = found.cpu_model;
  node.socket_link = socket_link_of(found.cpu_model);
  node.pcie_generation = generation_of(found.gpu_link_bytes);
  node.branches = std::move(found.branches);
  node.nics = found.ports;
  if (const auto id = catalogue_gpu(catalog, found.gpu_names.front())) {
    node.gpu_id = *id;
    node.gpus_per_board = gpu_spec(catalog, *id).per_board;
  } else {
    out.warnings.push_back(fmt::format("the GPU {} is not in the catalogue, or not by one name only",
                                       in_quotes(found.gpu_names.front())));
  }
  if (std::set<std::string>(found.gpu_names.begin(), found.gpu_names.end()).size() > 1)
    out.warnings.emplace_back("GPUs differ: the node template has the first kind only");
  if (found.memory == 0) out.warnings.emplace_back("the size of the memory is not in the file");
  if (node.pcie_generation == 0)
    out.warnings.emplace_back(
        "the PCIe generation of the GPUs is not in the file (an idle link may be slow)");
  out.warnings.emplace_back("NVLinks are not in this file: import `nvidia-smi topo -m` for them");
  add_node(std::move(node), "lstopo", out);
}

}  // namespace rackcast

/// The file that NCCL writes with NCCL_TOPO_DUMP_FILE: CPUs (NUMA nodes), PCIe switches (nested "pci"), GPUs
/// with their NVLinks, adapters ("nic" with "net" ports). Versions 1 and 2 of the form hold the same
/// elements. Bus addresses are followed while reading and not copied, GUIDs are not read. Form: NCCL
/// documentation, "NCCL_TOPO_FILE", and src/graph/xml.h for the names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import_xml.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/node_document.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

/// Link rates of PCIe in GT/s as the kernel writes them: "8.0 GT/s PCIe", "16 GT/s".
int generation_of(std::string_view speed) {
  const auto first = words(speed);
  const double rate = first.empty() ? 0 : to_number(first.front()).value_or(0);
  constexpr std::array<double, 6> rates{2.5, 5, 8, 16, 32, 64};
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rate == rates[i]) return static_cast<int>(i) + 1;
  return 0;
}

struct Gpu {
  int number = 0;                     ///< "dev": the number of the CUDA device
  std::map<std::string, int> to_bus;  ///< NVLinks by the bus address at the other end
  int to_switches = 0;
  int sm = 0, lanes = 0, generation = 0;
};

class Reader {
 public:
  Reader(const ImportXml& xml, ImportOutput& out) : xml_{xml}, out_{out} {}

  ImportedNode read() {
    for (const pugi::xml_node& cpu : xml_.root().children("cpu")) read_cpu(cpu);
    if (gpus_.empty()) xml_.fail(xml_.root(), "the file lists no GPU");
    number_gpus();
    wire();
    node_.gpus = static_cast<int>(gpus_.size());
    return std::move(node_);
  }
  [[nodiscard]] int sm() const { return gpus_.begin()->second.sm; }

 private:
  void read_cpu(const pugi::xml_node& cpu) {
    if (node_.sockets == most_devices) xml_.fail(cpu, "more than 1024 CPUs");
    const int index = node_.sockets++;
    if (node_.socket_link.empty()) node_.socket_link = socket_link(cpu);
    direct_ = {{}, index, {}, 0, {}};
    for (const pugi::xml_node& child : cpu.children()) read_device(child, index, "");
    if (!direct_.gpus.empty() || direct_.nics > 0) node_.branches.push_back(direct_);
  }

  /// By the vendor, family and model of CPUID. Sources: Intel SDM volume 4, table 2-1.
  [[nodiscard]] std::string socket_link(const pugi::xml_node& cpu) const {
    if (cpu.attribute("arch").value() == std::string_view{"ppc64"}) return "power9_xbus";
    if (cpu.attribute("vendor").value() == std::string_view{"AuthenticAMD"}) return "amd_infinity";
    const double model = xml_.number(cpu, "modelid", 0, 4096, 0);
    if (model == 63 || model == 79) return "qpi_broadwell";  // Haswell, Broadwell servers
    if (model == 85 || model == 106) return "upi_skylake";   // Skylake, Cascade Lake; Ice Lake
    if (model == 143) return "upi_sapphire_rapids";
    if (model == 207) return "upi_emerald_rapids";
    return {};
  }

  void read_device(const pugi::xml_node& pci, int cpu, const std::string& above) {
    const std::string_view name = pci.name();
    if (name == "nic") return add_nic(pci, above);
    if (name != "pci") return;
    if (const pugi::xml_node gpu = pci.child("gpu")) return add_gpu(pci, gpu, above);
    if (const pugi::xml_node nic = pci.child("nic")) return add_nic(nic, above);
    if (!pci.child("pci")) return;  // a device that is neither
    const std::string own = fmt::format("plx{}", switches_++);
    // The list must name a switch before those below it.
    const std::size_t at = node_.branches.size();
    node_.branches.push_back({own, cpu, {}, 0, above});
    place_[own] = at;
    for (const pugi::xml_node& child : pci.children()) read_device(child, cpu, own);
  }

  ImportedBranch& branch(const std::string& above) {
    return above.empty() ? direct_ : node_.branches[place_.at(above)];
  }

  void add_gpu(const pugi::xml_node& pci, const pugi::xml_node& gpu, const std::string& above) {
    const std::string bus = pci.attribute("busid").value();
    if (bus.empty()) xml_.fail(pci, "a GPU without a busid");
    if (gpus_.size() == most_devices) xml_.fail(pci, "more than 1024 GPUs");
    const std::string_view id = gpu_of_pci_device(pci.attribute("device").value());
    if (gpus_.empty()) node_.gpu_id = id;
    if (id != node_.gpu_id)
      out_.warnings.emplace_back("GPUs differ: the node template has the first kind only");
    Gpu g;
    g.number =
        static_cast<int>(xml_.number(gpu, "dev", 0, most_devices - 1, static_cast<double>(gpus_.size())));
    g.sm = static_cast<int>(xml_.number(gpu, "sm", 0, 1000, 0));
    g.lanes = static_cast<int>(xml_.number(pci, "link_width", 0, 64, 0));
    g.generation = generation_of(pci.attribute("link_speed").value());
    for (const pugi::xml_node& link : gpu.children("nvlink")) {
      const int count = static_cast<int>(xml_.number(link, "count", 1, 63, 1));
      // PCI class 0x068000: a bridge of another kind, which is how an NVSwitch presents itself.
      const bool to_switch = link.attribute("tclass").value() == std::string_view{"0x068000"};
      (to_switch ? g.to_switches : g.to_bus[link.attribute("target").value()]) += count;
    }
    if (!gpus_.emplace(bus, g).second) xml_.fail(pci, "two GPUs have the same busid");
    order_.push_back(bus);
    if (g.lanes > 0 && g.lanes < 16)
      out_.warnings.push_back(fmt::format("GPU {}: only {} PCIe lanes are connected", g.number, g.lanes));
    // The GPU's number is known when all are read; until then the branch holds its place in `order_`.
    branch(above).gpus.push_back(static_cast<int>(order_.size()) - 1);
  }

  void add_nic(const pugi::xml_node& nic, const std::string& above) {
    for (const pugi::xml_node& net : nic.children("net")) {
      const double mbit = xml_.number(net, "speed", 1, 1e8, 0);
      if (mbit > 0 && mbit < 10000) continue;  // management ports take no part
      if (node_.nics == most_devices) xml_.fail(net, "more than 1024 adapters");
      if (node_.nic_gbit > 0 && mbit > 0 && mbit / 1000 != node_.nic_gbit)
        out_.warnings.push_back(fmt::format("adapters differ ({:g} and {:g} Gbit/s): the first rate is taken",
                                            node_.nic_gbit, mbit / 1000));
      if (node_.nic_gbit == 0) node_.nic_gbit = mbit / 1000;
      if (std::string_view{net.attribute("name").value()}.starts_with("mlx")) node_.nic_is_infiniband = true;
      ++node_.nics;
      ++branch(above).nics;
    }
  }

  /// GPUs by their device numbers; those must be 0, 1, 2, ...
  void number_gpus() {
    std::vector<int> number_of(order_.size());
    std::set<int> seen;
    bool whole = true;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      number_of[i] = gpus_.at(order_[i]).number;
      whole = whole && seen.insert(number_of[i]).second && number_of[i] < static_cast<int>(order_.size());
    }
    if (!whole) {
      out_.warnings.emplace_back(
          "the numbers of the GPUs have gaps: they are counted in the order of the file");
      for (std::size_t i = 0; i < order_.size(); ++i)
        gpus_.at(order_[i]).number = number_of[i] = static_cast<int>(i);
    }
    for (ImportedBranch& b : node_.branches) {
      for (int& gpu : b.gpus) gpu = number_of[static_cast<std::size_t>(gpu)];
      std::ranges::sort(b.gpus);
    }
    node_.pcie_generation = gpus_.begin()->second.generation;
    if (node_.pcie_generation == 0)
      out_.warnings.emplace_back("the PCIe generation of the GPUs is not in the file");
  }

  void wire() {
    node_.nvlinks.assign(gpus_.size(), std::vector<int>(gpus_.size(), 0));
    int unknown = 0;
    for (const auto& [bus, gpu] : gpus_) {
      node_.nvswitch_links = std::max(node_.nvswitch_links, gpu.to_switches);
      for (const auto& [target, count] : gpu.to_bus) {
        const auto other = gpus_.find(target);
        if (other == gpus_.end()) {
          ++unknown;
          continue;
        }
        node_.nvlinks[static_cast<std::size_t>(gpu.number)][static_cast<std::size_t>(other->second.number)] =
            count;
      }
    }
    if (unknown > 0)
      out_.warnings.push_back(
          fmt::format("{} NVLinks lead to devices that are not in the file (CPUs?): left out", unknown));
    for (std::size_t i = 0; i < node_.nvlinks.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (node_.nvlinks[i][j] != node_.nvlinks[j][i])
          xml_.fail(xml_.root(), fmt::format("GPUs {} and {} disagree about the NVLinks between them", j, i));
  }

  const ImportXml& xml_;
  ImportOutput& out_;
  ImportedNode node_;
  ImportedBranch direct_;
  std::map<std::string, std::size_t> place_;  ///< of a switch in the list
  std::map<std::string, Gpu> gpus_;           ///< by bus address
  std::vector<std::string> order_;            ///< bus addresses in the order of the file
  int switches_ = 0;
};

/// What CUDA calls the architecture, for people.
std::string_view architecture_of(int sm) {
  if (sm >= 100) return "Blackwell";
  if (sm >= 90) return "Hopper";
  if (sm == 89) return "Ada Lovelace";
  if (sm >= 80) return "Ampere";
  if (sm >= 75) return "Turing";
  if (sm >= 70) return "Volta";
  if (sm >= 60) return "Pascal";
  return sm >= 50 ? "Maxwell" : "Kepler";
}

}  // namespace

void import_nccl_topo_xml(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const ImportXml xml{source};
  if (xml.root().name() != std::string_view{"system"})
    xml.fail(xml.root(), "the document is not a <system> of NCCL",
             "write it with NCCL_TOPO_DUMP_FILE=topo.xml");
  if (const auto version = xml.root().attribute("version"))
    out.version = fmt::format("NCCL topology, version {:g}", xml.number(xml.root(), "version", 0, 100, 0));
  Reader reader{xml, out};
  ImportedNode node = reader.read();
  if (node.nics > 0 && node.nic_is_infiniband)
    out.warnings.emplace_back(
        "the file does not tell InfiniBand from RoCE: InfiniBand is assumed for Mellanox adapters");
  if (reader.sm() > 0)
    out.warnings.push_back(fmt::format("the GPUs have compute capability {}.{} ({})", reader.sm() / 10,
                                       reader.sm() % 10, architecture_of(reader.sm())));
  add_node(std::move(node), "NCCL topology file", out);
}

}  // namespace rackcast

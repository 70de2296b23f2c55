#include "calibrate/import/gpu_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "sim/base/lower_case.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

/// Words in lower case, without those that every name may have or lack; "80 GB" becomes "80gb".
std::vector<std::string> key_words(std::string_view name) {
  constexpr std::array<std::string_view, 6> common{"nvidia", "tesla", "geforce", "gpu", "graphics", "board"};
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    if (word == "gb" && !out.empty() && std::isdigit(static_cast<unsigned char>(out.back().back()))) {
      out.back() += word;
    } else if (!word.empty() && std::ranges::count(common, word) == 0) {
      out.push_back(word);
    }
    word.clear();
  };
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += lower_case(c);
    } else {
      end_word();
    }
  }
  end_word();
  std::ranges::sort(out);
  return out;
}

/// Says how a GPU is built or how much memory it has, but not which it is: "sxm4", "pcie", "hbm3", "40gb".
bool is_word_of_a_form(std::string_view word) {
  constexpr std::array<std::string_view, 6> forms{"sxm", "pci", "nvl", "oam", "hbm", "gddr"};
  const std::size_t letters = std::min(word.find_first_not_of("0123456789"), word.size());
  if (letters == word.size()) return false;
  if (letters > 0) return word.substr(letters) == "gb";
  return std::ranges::any_of(forms, [&](std::string_view form) {
    return word.starts_with(form) &&
           word.find_first_not_of("0123456789xe", form.size()) == std::string_view::npos;
  });
}

/// Letters and digits in lower case.
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) out += lower_case(c);
  return out;
}

struct DriverName {
  std::string_view name, id;
};
/// Names of the driver that say other words than the data sheet. As printed by nvidia-smi on such machines.
constexpr std::array<DriverName, 9> driver_names{{{"H100 80GB HBM3", "h100_sxm5"},
                                                  {"H200", "h200_sxm"},
                                                  {"B200", "b200_sxm"},
                                                  {"A100-SXM-80GB", "a100_sxm4_80gb"},
                                                  {"A100-SXM-40GB", "a100_sxm4_40gb"},
                                                  {"GH200 480GB", "gh200_96gb"},
                                                  {"P100-PCIE-16GB", "p100_pcie_16gb"},
                                                  {"GTX TITAN X", "titan_x_maxwell"},
                                                  {"V100-DGXS-32GB", "v100_sxm2_32gb"}}};

constexpr std::array<DriverName, 19> pci_devices{{{"0x15f7", "p100_pcie_12gb"},
                                                  {"0x15f8", "p100_pcie_16gb"},
                                                  {"0x15f9", "p100_sxm2"},
                                                  {"0x1db1", "v100_sxm2_16gb"},
                                                  {"0x1db4", "v100_pcie_16gb"},
                                                  {"0x1db5", "v100_sxm2_32gb"},
                                                  {"0x1db6", "v100_pcie_32gb"},
                                                  {"0x1db8", "v100_sxm3_32gb"},
                                                  {"0x1eb8", "t4"},
                                                  {"0x20b0", "a100_sxm4_40gb"},
                                                  {"0x20b2", "a100_sxm4_80gb"},
                                                  {"0x20b5", "a100_pcie_80gb"},
                                                  {"0x20f1", "a100_pcie_40gb"},
                                                  {"0x2330", "h100_sxm5"},
                                                  {"0x2331", "h100_pcie"},
                                                  {"0x2335", "h200_sxm"},
                                                  {"0x26b9", "l40s"},
                                                  {"0x27b8", "l4"},
                                                  {"0x2901", "b200_sxm"}}};

}  // namespace

std::string_view gpu_of_pci_device(std::string_view device) {
  for (const DriverName& known : pci_devices)
    if (known.name == device) return known.id;
  return {};
}

std::optional<std::string> catalogue_gpu(const Catalog& catalog, std::string_view driver_name) {
  const std::vector<std::string> wanted = key_words(driver_name);
  if (wanted.empty()) return std::nullopt;
  for (const DriverName& known : driver_names)
    if (key_words(known.name) == wanted) return std::string{known.id};
  std::set<std::string> same;
  for (const std::string& id : catalog.ids("gpus")) {
    const CatalogEntry& entry = catalog.find("gpus", id);
    const auto matches = [&](const std::string& name) {
      return key_words(name) == wanted;
    };
    if (matches(entry.id) || matches(entry.name) || std::ranges::any_of(entry.aliases, matches))
      same.insert(id);
  }
  if (same.size() != 1) return std::nullopt;
  return *same.begin();
}

std::vector<std::string> catalogue_gpus_called(const Catalog& catalog, std::string_view short_name) {
  const std::vector<std::string> wanted = key_words(short_name);
  if (std::ranges::all_of(wanted, is_word_of_a_form)) return {};
  // One word may be an alias of one form among several; two words or more say which.
  if (wanted.size() > 1)
    if (const auto exact = catalogue_gpu(catalog, short_name)) return {*exact};
  std::vector<std::string> out;
  for (const std::string& id : catalog.ids("gpus")) {
    const CatalogEntry& entry = catalog.find("gpus", id);
    std::string all = entry.id + " " + entry.name;
    for (const std::string& alias : entry.aliases) all += " " + alias;
    const std::vector<std::string> known = key_words(all);
    const bool has_all = std::ranges::all_of(
        wanted, [&](const std::string& word) { return std::ranges::count(known, word) > 0; });
    if (has_all || letters_of(id) == letters_of(short_name)) out.push_back(id);
  }
  return out;
}

}  // namespace rackcast

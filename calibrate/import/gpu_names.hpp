#pragma once
/// From what a driver calls a GPU to its catalogue entry.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

class Catalog;

/// The catalogue id of "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-16GB", "NVIDIA H100 80GB HBM3", ...: makers'
/// words, case, punctuation and order of the words do not count. Nothing if no entry, or more than one, goes
/// by that name.
std::optional<std::string> catalogue_gpu(const Catalog& catalog, std::string_view driver_name);

/// The catalogue ids that a short name as administrators write it may mean ("a100", "rtx2080ti"), sorted: one
/// id if the name leaves no doubt, several if it leaves out the memory or the form, none if it is unknown.
std::vector<std::string> catalogue_gpus_called(const Catalog& catalog, std::string_view short_name);

/// The catalogue id of NVIDIA's PCI device ("0x20b0"); empty if unknown. Source: the PCI ID repository,
/// vendor 10de.
std::string_view gpu_of_pci_device(std::string_view device);

}  // namespace rackcast

#include "reports/sentences/link_sentences.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "reports/blocks/format.hpp"

namespace rackcast::reports {
namespace {

using Word = std::pair<std::string_view, std::string_view>;
constexpr std::array<Word, 7> technologies{{{"nvlink", "NVLink"},
                                            {"xgmi", "xGMI"},
                                            {"pcie", "PCIe"},
                                            {"socket", "links between CPUs"},
                                            {"infiniband", "InfiniBand"},
                                            {"ethernet", "Ethernet"},
                                            {"fabric", "cables of the network"}}};
constexpr std::array<Word, 9> ends{{{"gpu", "GPUs"},
                                    {"cpu", "CPUs"},
                                    {"plx", "PCIe switches"},
                                    {"nvswitch", "NVSwitches"},
                                    {"nic", "network ports"},
                                    {"leaf", "leaf switches"},
                                    {"spine", "spine switches"},
                                    {"core", "core switches"},
                                    {"storage", "storage servers"}}};

template <std::size_t n>
std::string_view word(const std::array<Word, n>& words, std::string_view code) {
  for (const auto& [known, text] : words)
    if (known == code) return text;
  return code;
}

bool is_between_nodes(const doc::LinkShare& link) {
  for (const std::string_view level : {"leaf", "spine", "core"})
    if (link.from == level || link.to == level) return true;
  return false;
}

std::string filled_text(const doc::LinkShare& link) {
  return fmt::format("{} ({}, {})", link_ends_text(link), link_technology_text(link),
                     percent_text(link.fullest));
}

}  // namespace

std::string link_technology_text(const doc::LinkShare& link) {
  return std::string{word(technologies, link.kind)};
}

std::string link_ends_text(const doc::LinkShare& link) {
  return fmt::format("{} to {}", word(ends, link.from), word(ends, link.to));
}

std::string links_text(const WorkloadResult& workload) {
  const doc::LinkShare *inside = nullptr, *between = nullptr;
  for (const doc::LinkShare& link : workload.links) {
    const doc::LinkShare*& fullest = is_between_nodes(link) ? between : inside;
    if (fullest == nullptr || link.fullest > fullest->fullest) fullest = &link;
  }
  if (inside == nullptr && between == nullptr) return {};
  std::string text = fmt::format("Fullest in a step of {}: ", workload.title);
  if (between != nullptr) text += "between nodes the cables from " + filled_text(*between);
  if (inside != nullptr)
    text += (between != nullptr ? "; in a node the links from " : "the links from ") + filled_text(*inside);
  return text + ".";
}

}  // namespace rackcast::reports

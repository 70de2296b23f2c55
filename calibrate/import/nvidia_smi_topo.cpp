/// `nvidia-smi topo -m`: a matrix of GPUs and network adapters with their relation, then their affinity.
///
/// Relations: PIX one PCIe switch, PXB several, PHB the host bridge of a CPU, NODE two bridges of one NUMA
/// node, SYS (SOC before driver 384) another CPU; NV4 four NVLinks. Where GPUs have NVLink the relation over
/// PCIe is not shown, so switches are found by the adapters that share them. Newer drivers number adapters
/// (NIC0) and explain them in a legend; headers may be underlined by escape sequences. Form: manual page of
/// nvidia-smi, "topo".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "calibrate/import/importers.hpp"
#include "calibrate/import/node_document.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

struct Matrix {
  std::vector<std::string> names;                    ///< GPU0, GPU1, mlx5_0, ...
  std::vector<std::string> affinity;                 ///< of the rows that are GPUs: NUMA node or CPU list
  std::vector<std::vector<std::string_view>> cells;  ///< without the row's name; as wide as names
  int gpus = 0;
};

/// The escape sequences of colours and underlines become blanks, so that offsets stay.
std::string without_escapes(std::string_view text) {
  std::string out{text};
  for (std::size_t at = out.find('\x1b'); at != std::string::npos; at = out.find('\x1b', at)) {
    std::size_t end = at + 1;
    while (end < out.size() && end < at + 12 && out[end] != 'm' && out[end] != '\n') ++end;
    if (end < out.size() && out[end] != '\n') ++end;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end),
              ' ');
  }
  return out;
}

bool is_gpu(std::string_view name) {
  return name.starts_with("GPU") && name.size() > 3 && to_number(name.substr(3)).has_value();
}

/// The header's device names: what stands before the columns of affinities.
std::vector<std::string> header_names(std::string_view line) {
  const std::size_t affinity = line.find("CPU Affinity");
  std::vector<std::string> out;
  for (const std::string_view word : words(line.substr(0, affinity))) out.emplace_back(word);
  return out;
}

bool is_relation(std::string_view cell) {
  if (cell == "X" || cell == "PIX" || cell == "PXB" || cell == "PHB" || cell == "NODE" || cell == "SYS" ||
      cell == "SOC" || cell == "PSB")
    return true;
  return cell.starts_with("NV") && to_number(cell.substr(2)).has_value();
}

Matrix read_matrix(const ImportSource& source) {
  Matrix m;
  const std::vector<ImportLine> lines = source.lines();
  std::size_t at = 0;
  while (at < lines.size()) {
    const auto all = words(lines[at].text);
    if (!all.empty() && is_gpu(all.front()) && (all.size() == 1 || !is_relation(all[1]))) break;
    ++at;
  }
  if (at == lines.size())
    source.fail(std::size_t{0}, "there is no line that names the columns (GPU0 GPU1 ...)",
                "save the whole output of `nvidia-smi topo -m`");
  m.names = header_names(lines[at].text);
  if (m.names.size() > most_devices) source.fail(lines[at].offset, "more than 1024 devices");
  const bool numa = lines[at].text.find("NUMA Affinity") != std::string_view::npos;
  for (++at; at < lines.size() && m.cells.size() < m.names.size(); ++at) {
    std::vector<std::string_view> row = words(lines[at].text);
    if (row.empty()) continue;
    const std::size_t n = m.cells.size();
    if (row.front() != m.names[n])
      source.fail(row.front(),
                  fmt::format("row {} is called {}, but column {} {}", n + 1, in_quotes(row.front()), n + 1,
                              in_quotes(m.names[n])),
                  "rows or columns are missing: save the whole output");
    if (row.size() < m.names.size() + 1)
      source.fail(row.front(),
                  fmt::format("{} columns are needed, and the row has {}", m.names.size(), row.size() - 1));
    for (std::size_t i = 1; i <= m.names.size(); ++i)
      if (!is_relation(row[i]))
        source.fail(row[i], fmt::format("{} is no relation", in_quotes(row[i])),
                    "known: X, NV#, PIX, PXB, PHB, NODE, SYS, SOC");
    m.cells.emplace_back(row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(m.names.size()));
    if (is_gpu(m.names[n])) {
      ++m.gpus;
      // After the matrix: CPU list, then the NUMA node where the header has it.
      const std::size_t column = m.names.size() + 1 + (numa ? 1 : 0);
      m.affinity.emplace_back(column < row.size() && row[column] != "N/A" ? row[column] : "");
    }
  }
  if (m.cells.size() < m.names.size())
    source.fail(source.text().size(),
                fmt::format("the matrix ends after {} of {} rows", m.cells.size(), m.names.size()),
                "the file seems to be cut off");
  return m;
}

void check_matrix(const ImportSource& source, const Matrix& m) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < m.names.size(); ++i) {
    if (!seen.insert(m.names[i]).second)
      source.fail(m.cells[i].front(), fmt::format("{} stands twice", in_quotes(m.names[i])));
    if (is_gpu(m.names[i]) != (static_cast<int>(i) < m.gpus))
      source.fail(m.cells[i].front(), "GPUs must stand before the other devices");
    for (std::size_t j = 0; j < i; ++j)
      if (m.cells[i][j] != m.cells[j][i])
        source.fail(m.cells[i][j], fmt::format("{} and {} disagree about their relation",
                                               in_quotes(m.names[i]), in_quotes(m.names[j])));
  }
}

int nvlinks(std::string_view cell) {
  if (!cell.starts_with("NV")) return 0;
  return static_cast<int>(to_number(cell.substr(2)).value_or(0));
}

/// Devices joined by `relations`, as the number of the group of each.
std::vector<int> groups(const Matrix& m, std::initializer_list<std::string_view> relations) {
  std::vector<int> group(m.names.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = 0; i < m.names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::ranges::count(relations, m.cells[i][j]) > 0 && group[i] != group[j])
        std::ranges::replace(group, std::max(group[i], group[j]), std::min(group[i], group[j]));
  return group;
}

/// CPU of each device: by the affinity of the GPUs, else by who is not across SYS.
std::vector<int> cpus_of(const Matrix& m, ImportOutput& out) {
  const std::vector<int> near = groups(m, {"PIX", "PXB", "PHB", "NODE", "PSB"});
  const bool known = std::ranges::none_of(m.affinity, &std::string::empty) && !m.affinity.empty();
  std::map<std::string, int> by_affinity;
  if (known)
    for (const std::string& a : m.affinity) by_affinity.emplace(a, static_cast<int>(by_affinity.size()));
  std::map<int, int> cpu_of_group;
  std::vector<int> cpu(m.names.size(), 0);
  for (std::size_t i = 0; i < m.names.size(); ++i) {
    if (known && static_cast<int>(i) < m.gpus) {
      cpu[i] = by_affinity.at(m.affinity[i]);
      cpu_of_group.emplace(near[i], cpu[i]);
    } else {
      cpu[i] = cpu_of_group.emplace(near[i], static_cast<int>(cpu_of_group.size())).first->second;
    }
  }
  if (!known)
    out.warnings.emplace_back("no affinity of the GPUs to CPUs: it is told from the relations alone");
  return cpu;
}

void add_branches(const Matrix& m, const std::vector<int>& cpu, ImportedNode& node) {
  const std::vector<int> outer = groups(m, {"PIX", "PXB"}), inner = groups(m, {"PIX"});
  std::map<int, std::map<int, ImportedBranch>> tree;  // by outer, then inner group
  for (std::size_t i = 0; i < m.names.size(); ++i) {
    ImportedBranch& branch = tree[outer[i]][inner[i]];
    branch.cpu = cpu[static_cast<std::size_t>(outer[i])];
    if (static_cast<int>(i) < m.gpus) {
      branch.gpus.push_back(static_cast<int>(i));
    } else {
      ++branch.nics;
    }
  }
  int number = 0;
  for (auto& [unused, parts] : tree) {
    const bool alone =
        parts.size() == 1 &&
        parts.begin()->second.gpus.size() + static_cast<std::size_t>(parts.begin()->second.nics) == 1;
    std::string parent;
    if (parts.size() > 1) {
      parent = fmt::format("plx{}", number++);
      node.branches.push_back({parent, parts.begin()->second.cpu, {}, 0, {}});
    }
    for (auto& [key, branch] : parts) {
      // One device alone behind a CPU may or may not have a switch of its own; it makes no difference.
      if (!alone) branch.name = fmt::format("plx{}", number++);
      branch.parent = parent;
      node.branches.push_back(branch);
    }
  }
}

}  // namespace

void import_nvidia_smi_topo(const Catalog&, const ImportSource& original, ImportOutput& out) {
  const ImportSource source{original.name(), without_escapes(original.text())};
  const Matrix m = read_matrix(source);
  if (m.gpus == 0) source.fail(std::size_t{0}, "the matrix holds no GPU");
  check_matrix(source, m);
  const auto gpus = static_cast<std::size_t>(m.gpus);
  ImportedNode node;
  node.gpus = m.gpus;
  node.nics = static_cast<int>(m.names.size()) - m.gpus;
  node.nvlinks.assign(gpus, std::vector<int>(gpus, 0));
  int most = 0;
  bool even = m.gpus > 1;
  for (std::size_t i = 0; i < gpus; ++i) {
    int sum = 0;
    for (std::size_t j = 0; j < gpus; ++j) {
      const int links = nvlinks(m.cells[i][j]);
      if (links > 63) source.fail(m.cells[i][j], "more than 63 NVLinks between two GPUs");
      node.nvlinks[i][j] = links;
      sum += links;
      even = even && (i == j || links == nvlinks(m.cells[0][1]));
    }
    most = std::max(most, sum);
  }
  // No GPU has more than 18 links, so more than that in a row are the same links through switches.
  constexpr int most_links = 18;
  if (most > most_links) {
    if (!even)
      source.fail(m.cells[0].front(), "more NVLinks than any GPU has, and not the same between all GPUs");
    node.nvswitch_links = nvlinks(m.cells[0][1]);
  }
  const std::vector<int> cpu = cpus_of(m, out);
  node.sockets = *std::ranges::max_element(cpu) + 1;
  add_branches(m, cpu, node);
  add_node(std::move(node), "nvidia-smi topo -m", out);
}

}  // namespace rackcast

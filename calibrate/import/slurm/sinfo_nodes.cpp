/// A table of `sinfo -N` with a header. Columns are known by their titles, in any order; a node stands
/// in a row for each of its partitions. Form: manual page of sinfo(1), "OUTPUT FIELD DESCRIPTIONS".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/import/slurm/slurm_nodes.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr const char* sinfo_hint = "write it with: sinfo -N -o \"%N %P %G %c %m %z %t\"";

enum SinfoColumn {
  name_column,
  gpus_column,
  cpus_column,
  memory_column,
  state_column,
  partition_column,
  shape_column,
  sockets_column,
  cores_column,
  threads_column,
  nodes_column,
  count_of_columns
};
constexpr std::array<std::string_view, count_of_columns> sinfo_titles{
    "NODELIST", "GRES",    "CPUS",  "MEMORY",  "STATE", "PARTITION",
    "S:C:T",    "SOCKETS", "CORES", "THREADS", "NODES"};

struct SinfoHeader {
  std::array<std::optional<std::size_t>, count_of_columns> at;  ///< position in the row
  std::size_t count = 0;
  bool open_end = false;  ///< the last column holds text with blanks
};

std::optional<SinfoHeader> read_sinfo_header(const ImportSource& source, std::string_view line) {
  const auto all = words(line);
  SinfoHeader header;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view title = all[i] == "HOSTNAMES" ? sinfo_titles[name_column] : all[i];
    const auto known = std::ranges::find(sinfo_titles, title);
    if (known == sinfo_titles.end()) continue;
    auto& place = header.at[static_cast<std::size_t>(known - sinfo_titles.begin())];
    if (place) source.fail(all[i], fmt::format("the column {} stands twice", title), sinfo_hint);
    place = i;
  }
  if (!header.at[name_column]) return std::nullopt;
  header.count = all.size();
  header.open_end = all.back() == "REASON" || all.back() == "COMMENT";
  for (const SinfoColumn column : {gpus_column, cpus_column, memory_column, state_column})
    if (!header.at[column])
      source.fail(line, fmt::format("there is no column {}", sinfo_titles[column]), sinfo_hint);
  return header;
}

class SinfoRow {
 public:
  SinfoRow(const ImportSource& source, const SinfoHeader& header, std::string_view line)
      : source_{source}, header_{header}, cells_{words(line)} {
    if (cells_.size() != header.count && !(header.open_end && cells_.size() >= header.count - 1))
      source.fail(line, fmt::format("{} fields below {} titles", cells_.size(), header.count),
                  "the file seems to be cut off, or a field has blanks in it; " + std::string{sinfo_hint});
  }
  [[nodiscard]] std::optional<std::string_view> cell(SinfoColumn column) const {
    const auto place = header_.at[column];
    if (!place || *place >= cells_.size()) return std::nullopt;
    return cells_[*place];
  }
  [[nodiscard]] double number(SinfoColumn column, double most) const {
    const auto found = cell(column);
    if (!found) return 0;
    if (found->ends_with('+'))
      source_.fail(*found, fmt::format("{} stands for nodes that differ", in_quotes(*found)),
                   std::string{"list each node: "} + sinfo_hint);
    return source_.number(*found, 0, most, fmt::format("{} of the node", sinfo_titles[column]));
  }

 private:
  const ImportSource& source_;
  const SinfoHeader& header_;
  std::vector<std::string_view> cells_;
};

/// "2:56:2": sockets, cores of a socket, threads of a core.
void read_sinfo_shape(const ImportSource& source, std::string_view text, SlurmNode& node) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos)
    source.fail(text, fmt::format("{} is not SOCKETS:CORES:THREADS", in_quotes(text)), sinfo_hint);
  const auto part = [&](std::size_t from, std::size_t to, const char* what) {
    return static_cast<int>(source.number(text.substr(from, to - from), 0, most_slurm_cpus, what));
  };
  node.sockets = part(0, first, "the number of sockets");
  node.cores_per_socket = part(first + 1, second, "the number of cores of a socket");
  node.threads_per_core = part(second + 1, text.size(), "the number of threads of a core");
}

SlurmNode read_sinfo_row(const ImportSource& source, const SinfoRow& row) {
  SlurmNode node;
  node.name = node.place = *row.cell(name_column);
  if (node.name.find('[') != std::string_view::npos || row.number(nodes_column, 1e6) > 1)
    source.fail(node.name, "this row stands for several nodes", std::string{"list each node: "} + sinfo_hint);
  node.cpus = static_cast<int>(row.number(cpus_column, most_slurm_cpus));
  node.memory_mib = row.number(memory_column, most_slurm_memory_mib);
  node.sockets = static_cast<int>(row.number(sockets_column, most_slurm_cpus));
  node.cores_per_socket = static_cast<int>(row.number(cores_column, most_slurm_cpus));
  node.threads_per_core = static_cast<int>(row.number(threads_column, most_slurm_cpus));
  if (const auto found = row.cell(shape_column)) read_sinfo_shape(source, *found, node);
  node.gpus = slurm_gpus(source, *row.cell(gpus_column), GresForm::sinfo);
  set_slurm_state(node, *row.cell(state_column));
  if (auto found = row.cell(partition_column)) {
    if (found->ends_with('*')) found->remove_suffix(1);  // the default partition
    node.partitions.insert(*found);
  }
  return node;
}

/// `sinfo -O` and "%20G" cut a field at 20 characters, and nothing says so.
void warn_of_cut_gpus(std::string_view gpus, ImportOutput& out) {
  constexpr std::size_t usual_width = 20;
  if (gpus.size() != usual_width || gpus.find("gpu") == std::string_view::npos) return;
  const std::string text = fmt::format("{} of the column GRES has exactly {} characters: {}",
                                       in_quotes(product_name(gpus)), usual_width, sinfo_width_hint);
  if (std::ranges::count(out.warnings, text) == 0) out.warnings.push_back(text);
}

}  // namespace

std::vector<SlurmNode> read_sinfo_nodes(const ImportSource& source, ImportOutput& output) {
  std::optional<SinfoHeader> header;
  std::vector<SlurmNode> out;
  std::map<std::string_view, std::size_t> places;
  for (const ImportLine& line : source.lines()) {
    const std::string_view text = trimmed(line.text);
    if (text.empty()) continue;
    if (!header) {
      header = read_sinfo_header(source, text);
      continue;
    }
    const SinfoRow row{source, *header, text};
    warn_of_cut_gpus(*row.cell(gpus_column), output);
    SlurmNode node = read_sinfo_row(source, row);
    const auto [place, is_new] = places.emplace(node.name, out.size());
    if (is_new) {
      if (out.size() == most_slurm_nodes)
        source.fail(text, fmt::format("more than {} nodes", most_slurm_nodes));
      out.push_back(std::move(node));
      continue;
    }
    SlurmNode& known = out[place->second];
    if (known.gpus != node.gpus || known.cpus != node.cpus || known.memory_mib != node.memory_mib)
      source.fail(text, "this node stands in the file already, with other numbers");
    known.partitions.merge(node.partitions);
  }
  if (!header)
    source.fail(std::size_t{0}, "there is no line of titles with NODELIST",
                std::string{"do not use --noheader; "} + sinfo_hint);
  if (out.empty()) source.fail(source.text().size(), "no node stands below the titles", sinfo_hint);
  return out;
}

}  // namespace rackcast

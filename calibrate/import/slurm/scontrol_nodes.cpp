/// `scontrol show node`, in several lines for each node or in one (--oneliner): fields `Key=value`, of which
/// some have blanks in them. Form: manual page of scontrol(1).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/import/slurm/slurm_nodes.hpp"
#include "sim/base/split.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

/// Fields that are read. CfgTRES and AllocTRES stand in the output of every Slurm since 17.02.
enum ScontrolField {
  cpus_field,
  sockets_field,
  cores_field,
  threads_field,
  memory_field,
  state_field,
  partitions_field,
  gres_field,
  gres_used_field,
  cfg_field,
  alloc_field,
  count_of_fields
};
constexpr std::array<std::string_view, count_of_fields> scontrol_names{
    "CPUTot",     "Sockets", "CoresPerSocket", "ThreadsPerCore", "RealMemory", "State",
    "Partitions", "Gres",    "GresUsed",       "CfgTRES",        "AllocTRES"};

struct ScontrolRecord {
  std::string_view name;
  std::array<std::optional<std::string_view>, count_of_fields> values;
};

/// Text of people follows until the end of the line, and may hold anything.
bool ends_the_fields(std::string_view key) {
  return key == "Reason" || key == "Comment" || key == "Extra";
}

/// What to do about a file that lacks fields.
std::string scontrol_hint(const ImportSource& source) {
  if (source.text().find("CPUTot=") == std::string_view::npos)
    return "slurm.conf and `slurmd -C` have other fields: save the output of `scontrol show node`";
  return "the file seems to be cut off: save the whole output of `scontrol show node`";
}

/// The first value of a key counts: kernels and other texts stand unquoted behind it.
void read_scontrol_line(std::string_view line, ScontrolRecord& record) {
  for (const std::string_view word : words(line)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    if (ends_the_fields(key)) return;
    const auto known = std::ranges::find(scontrol_names, key);
    if (known == scontrol_names.end()) continue;
    auto& value = record.values[static_cast<std::size_t>(known - scontrol_names.begin())];
    if (!value) value = word.substr(equals + 1);
  }
}

std::vector<ScontrolRecord> scontrol_records(const ImportSource& source) {
  constexpr std::string_view begins = "NodeName=";
  std::vector<ScontrolRecord> out;
  std::set<std::string_view> names;
  for (const ImportLine& line : source.lines()) {
    const std::string_view text = trimmed(line.text);
    if (text.starts_with(begins)) {
      const std::string_view name = words(text).front().substr(begins.size());
      if (name.empty()) source.fail(text, "this node has no name", "save the whole output again");
      if (out.size() == most_slurm_nodes)
        source.fail(text, fmt::format("more than {} nodes", most_slurm_nodes));
      if (!names.insert(name).second)
        source.fail(name, "this node stands twice in the file", scontrol_hint(source));
      out.push_back({name, {}});
    }
    if (!out.empty()) read_scontrol_line(text, out.back());
  }
  if (out.empty())
    source.fail(std::size_t{0}, "the file lists no node",
                "save the output of `scontrol show node`, in which each node begins with NodeName=");
  return out;
}

int scontrol_number(const ImportSource& source, const ScontrolRecord& record, ScontrolField field) {
  const auto& value = record.values[field];
  if (!value) return 0;
  const double number =
      source.number(*value, 0, most_slurm_cpus, fmt::format("{} of the node", scontrol_names[field]));
  return static_cast<int>(number);
}

void read_scontrol_partitions(const ImportSource& source, std::string_view text, SlurmNode& node) {
  constexpr std::size_t most_partitions = 10'000;
  for (const std::string_view partition : split(text, ',')) {
    if (node.partitions.size() == most_partitions)
      source.fail(text, fmt::format("more than {} partitions", most_partitions));
    if (!partition.empty() && text != "(null)") node.partitions.insert(partition);
  }
}

int sum_of_gpus(const std::vector<SlurmGpus>& gpus) {
  int sum = 0;
  for (const SlurmGpus& g : gpus) sum += g.count;
  return sum;
}

/// GPUs that jobs use of a node with `own` GPUs. Slices do not count; nothing where entries without a type
/// may be slices.
std::optional<int> whole_gpus_in_use(const std::vector<SlurmGpus>& used, const std::vector<SlurmGpus>& own) {
  const bool sliced = std::ranges::any_of(own, &SlurmGpus::slices);
  if (sliced && std::ranges::any_of(used, [](const SlurmGpus& g) { return g.type.empty(); }))
    return std::nullopt;
  int sum = 0;
  for (const SlurmGpus& g : used) sum += g.slices ? 0 : g.count;
  return sum;
}

/// Gres and CfgTRES say the same where both are filled; only one of them may know the types.
void read_scontrol_gpus(const ImportSource& source, const ScontrolRecord& record, SlurmNode& node) {
  const auto gpus = [&](ScontrolField field, GresForm form) {
    return slurm_gpus(source, record.values[field].value_or(""), form);
  };
  const auto names_gpus = [&](ScontrolField field) {
    return record.values[field].value_or("").find("gres/gpu") != std::string_view::npos;
  };
  node.gpus = gpus(gres_field, GresForm::scontrol);
  const std::vector<SlurmGpus> configured = gpus(cfg_field, GresForm::tres);
  const bool untyped = node.gpus.size() == 1 && node.gpus.front().type.empty();
  const bool types_known =
      std::ranges::none_of(configured, [](const SlurmGpus& g) { return g.type.empty(); });
  if (node.gpus.empty() || (untyped && types_known && sum_of_gpus(configured) == sum_of_gpus(node.gpus)))
    node.gpus = configured;
  if (record.values[gres_used_field]) {
    node.gpus_in_use = whole_gpus_in_use(gpus(gres_used_field, GresForm::scontrol), node.gpus);
  } else if (record.values[alloc_field] && (names_gpus(cfg_field) || names_gpus(alloc_field))) {
    node.gpus_in_use = whole_gpus_in_use(gpus(alloc_field, GresForm::tres), node.gpus);
  }
}

}  // namespace

std::vector<SlurmNode> read_scontrol_nodes(const ImportSource& source) {
  const std::vector<ScontrolRecord> records = scontrol_records(source);
  std::vector<ScontrolField> required{cpus_field, memory_field, state_field};
  for (const ScontrolField field : {cfg_field, alloc_field})
    if (records.front().values[field]) required.push_back(field);
  std::vector<SlurmNode> out;
  for (const ScontrolRecord& record : records) {
    for (const ScontrolField field : required)
      if (!record.values[field] ||
          (record.values[field]->empty() && field != cfg_field && field != alloc_field))
        source.fail(record.name, fmt::format("this node has no {}", scontrol_names[field]),
                    scontrol_hint(source));
    SlurmNode node;
    node.name = node.place = record.name;
    node.cpus = scontrol_number(source, record, cpus_field);
    node.sockets = scontrol_number(source, record, sockets_field);
    node.cores_per_socket = scontrol_number(source, record, cores_field);
    node.threads_per_core = scontrol_number(source, record, threads_field);
    node.memory_mib =
        source.number(*record.values[memory_field], 0, most_slurm_memory_mib, "RealMemory of the node");
    set_slurm_state(node, *record.values[state_field]);
    read_scontrol_partitions(source, record.values[partitions_field].value_or(""), node);
    read_scontrol_gpus(source, record, node);
    out.push_back(std::move(node));
  }
  return out;
}

}  // namespace rackcast

/// Generic resources and states of nodes. Forms: manual pages of gres.conf(5), scontrol(1) and sinfo(1),
/// "NODE STATE CODES".
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "calibrate/import/node_document.hpp"
#include "calibrate/import/slurm/slurm_nodes.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/base/split.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::string_view gres_hint = "expected for example gpu:8 or gpu:TYPE:8(S:0-1)";

bool is_digit_of_gres(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Profiles of MIG: "1g.10gb", "1g_10gb", or with the GPU before it "a100_1g.5gb".
bool is_mig_profile(std::string_view type) {
  for (std::size_t at = 1; at + 1 < type.size(); ++at) {
    if (type[at] != 'g' || (type[at + 1] != '.' && type[at + 1] != '_')) continue;
    std::size_t end = at + 2;
    while (end < type.size() && is_digit_of_gres(type[end])) ++end;
    if (is_digit_of_gres(type[at - 1]) && end > at + 2 && type.substr(end).starts_with("gb")) return true;
  }
  return false;
}

/// Splits at commas that stand in no brackets: "gpu:a:4(S:0,2),gpu:b:1".
std::vector<std::string_view> gres_entries(const ImportSource& source, std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth < 0) break;
    if (text[i] != ',' || depth > 0) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (depth != 0)
    source.fail(text, fmt::format("the brackets of {} do not match", in_quotes(text)),
                std::string{sinfo_width_hint});
  out.push_back(text.substr(begin));
  return out;
}

int gres_count(const ImportSource& source, std::string_view number) {
  const double count = source.number(number, 0, most_devices, "the number of GPUs");
  if (count != static_cast<int>(count))
    source.fail(number, fmt::format("the number of GPUs is {}, which is not whole", in_quotes(number)));
  return static_cast<int>(count);
}

/// "gpu:h100:8" of "gpu:h100:8(S:0-1)"; the brackets of "gpu:(null):8" are a type.
std::string_view without_gres_places(std::string_view entry) {
  while (entry.ends_with(')')) {
    const std::size_t bracket = entry.rfind('(');
    const std::string_view inside = entry.substr(std::min(bracket, entry.size() - 1) + 1);
    if (bracket == std::string_view::npos ||
        !(inside.starts_with("S:") || inside.starts_with("IDX:") || inside.starts_with("CNT:")))
      break;
    entry = entry.substr(0, bracket);
  }
  return entry;
}

/// Slurm writes "(null)" for GPUs without a type.
std::string gres_type(std::string_view text) {
  return text == "(null)" ? std::string{} : product_name(text);
}

/// "gpu", "gpu:4", "gpu:h100:8", "gpu:h100:no_consume:8"; nothing for other resources.
std::optional<SlurmGpus> gres_entry(const ImportSource& source, std::string_view entry, bool of_sinfo) {
  entry = without_gres_places(entry);
  if (entry != "gpu" && !entry.starts_with("gpu:")) return std::nullopt;
  auto parts = split(entry, ':');
  std::erase(parts, "no_consume");
  SlurmGpus gpus;
  if (parts.size() == 1) {
    gpus.count = 1;
    return gpus;
  }
  if (parts.size() > 3 || std::ranges::any_of(parts, &std::string_view::empty))
    source.fail(entry, fmt::format("{} names no GPUs", in_quotes(entry)),
                of_sinfo ? std::string{sinfo_width_hint} : std::string{gres_hint});
  if (parts.size() == 2 && !to_number(parts[1])) {
    if (of_sinfo)
      source.fail(entry, fmt::format("{} has no number of GPUs: expected gpu:TYPE:NUMBER", in_quotes(entry)),
                  std::string{sinfo_width_hint});
    gpus.type = gres_type(parts[1]);
    gpus.count = 1;
  } else {
    if (parts.size() == 3) gpus.type = gres_type(parts[1]);
    gpus.count = gres_count(source, parts.back());
  }
  return gpus;
}

/// "gres/gpu=8" or "gres/gpu:h100=8"; nothing for other resources.
std::optional<SlurmGpus> tres_entry(const ImportSource& source, std::string_view entry) {
  constexpr std::string_view gpu = "gres/gpu";
  if (!entry.starts_with(gpu)) return std::nullopt;
  const std::string_view rest = entry.substr(gpu.size());
  const std::size_t equals = rest.rfind('=');
  if (equals == std::string_view::npos || (equals > 0 && rest.front() != ':')) {
    if (!rest.empty() && rest.front() != ':' && rest.front() != '=') return std::nullopt;  // "gres/gpumem=1"
    source.fail(entry, fmt::format("{} has no number", in_quotes(entry)), "expected for example gres/gpu=8");
  }
  SlurmGpus gpus;
  if (equals > 1) gpus.type = product_name(rest.substr(1, equals - 1));
  gpus.count = gres_count(source, rest.substr(equals + 1));
  return gpus;
}

}  // namespace

std::vector<SlurmGpus> slurm_gpus(const ImportSource& source, std::string_view text, GresForm form) {
  const bool tres = form == GresForm::tres;
  if (text.empty() || text == "(null)" || text == "N/A") return {};
  std::map<std::string, int> counts;
  int all = 0;
  for (const std::string_view entry : gres_entries(source, text)) {
    const auto gpus = tres ? tres_entry(source, entry) : gres_entry(source, entry, form == GresForm::sinfo);
    if (!gpus || gpus->count == 0) continue;
    // The same type may stand in several entries, for the GPUs of each socket; a total stands once.
    int& sum = counts[gpus->type];
    const int before = sum;
    sum = tres ? gpus->count : sum + gpus->count;
    // With the total beside its types, each GPU counts twice.
    all += sum - before;
    if (all > (tres ? 2 : 1) * most_devices)
      source.fail(entry, fmt::format("more than {} GPUs in a node", most_devices));
  }
  if (tres && counts.size() > 1 && counts.contains("")) {
    // The total has the GPUs of all types; what remains are GPUs whose type is not stated.
    int typed = 0;
    for (const auto& [type, count] : counts) typed += type.empty() ? 0 : count;
    if (counts[""] > typed) {
      counts[""] -= typed;
    } else {
      counts.erase("");
    }
  }
  std::vector<SlurmGpus> out;
  for (const auto& [type, count] : counts) out.push_back({type, count, is_mig_profile(type)});
  return out;
}

void set_slurm_state(SlurmNode& node, std::string_view text) {
  // Marks behind a state: * does not respond, ~ # ! % power saving, $ @ ^ maintenance and reboot, - planned.
  constexpr std::string_view marks = "*~#!%$@^-+";
  constexpr std::string_view out_of_service[] = {
      "down",       "drain",  "drained", "draining", "drng",        "fail",
      "failing",    "failg",  "error",   "err",      "maint",       "maintenance",
      "unknown",    "unk",    "inval",   "invalid",  "invalid_reg", "not_responding",
      "no_respond", "future", "futr",    "blocked",  "block"};
  node.state = product_name(lower_case(text));
  for (std::string_view part : split(text, '+')) {
    while (!part.empty() && marks.find(part.back()) != std::string_view::npos) {
      if (part.back() == '*' || part.back() == '$') node.in_service = false;
      part.remove_suffix(1);
    }
    if (std::ranges::count(out_of_service, lower_case(part)) > 0) node.in_service = false;
  }
}

std::string slurm_gpus_in_words(const std::vector<SlurmGpus>& gpus) {
  std::string out;
  for (const SlurmGpus& g : gpus)
    out += fmt::format("{}{} x {}", out.empty() ? "" : " + ", g.count, g.type.empty() ? "gpu" : g.type);
  return out.empty() ? "no GPU" : out;
}

}  // namespace rackcast

#include "scenarios/names/graph_spec.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/recorded/chakra_file.hpp"
#include "models/recorded/kineto_file.hpp"
#include "sim/json/plain_json.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

namespace {

constexpr std::size_t most_trace_files = 1024;
constexpr int most_ranks_of_graph = 1 << 24;

/// The files of a pattern with `*` and `?`, relative to the file that names it; "et.2.et" before "et.10.et".
std::vector<std::string> files_of(const Json& pattern) {
  std::filesystem::path path = pattern.string();
  const std::string file = pattern.where().file;
  if (path.is_relative() && !file.starts_with("--")) path = std::filesystem::path{file}.parent_path() / path;
  std::vector<std::string> out;
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return {path.string()};
  std::string escaped;  // only * and ? have a meaning
  for (const char c : path.string()) escaped += (c == '[' || c == '\\' ? "\\" : "") + std::string(1, c);
  glob_t found{};
  if (glob(escaped.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (out.empty())
    pattern.fail("no file is called \"" + path.string() + "\"", "the path counts from the scenario's folder");
  if (out.size() > most_trace_files)
    pattern.fail(fmt::format("{} files, and at most {} are read", out.size(), most_trace_files),
                 "one file may stand for all ranks that do the same");
  std::ranges::sort(
      out, [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; });
  return out;
}

std::map<std::string, std::vector<int>> read_groups(const Json& json) {
  std::map<std::string, std::vector<int>> out;
  for (const auto& [name, ranks] : json.object()) {
    std::vector<int>& group = out[name];
    for (const Json& rank : ranks.array()) {
      const std::int64_t number = rank.integer();
      if (number < 0 || number >= most_ranks_of_graph) rank.fail("no rank", "ranks count from 0");
      group.push_back(static_cast<int>(number));
    }
    if (group.empty()) ranks.fail("a group without ranks");
  }
  return out;
}

}  // namespace

GraphSpec read_graph(const Json& json) {
  ObjectReader in{json};
  GraphSpec out;
  out.where = json.where();
  if (in.has("chakra") == in.has("kineto"))
    json.fail("a recorded step is of one format, \"chakra\" or \"kineto\"",
              R"(for example "graph": {"kineto": "rank0.json", "recorded_on": "a GPU of the catalogue"})");
  out.format = in.has("chakra") ? "chakra" : "kineto";
  const Json& pattern = in.require(out.format);
  out.files = files_of(pattern);
  out.recorded_on = in.string("recorded_on");
  std::map<std::string, std::vector<int>> groups;
  if (const Json* named = in.find("groups")) {
    groups = read_groups(*named);
    out.groups = plain_json(*named).dump();
  }
  if (const Json* ranks = in.find("ranks")) {
    out.ranks = static_cast<int>(in.integer("ranks", 1, most_ranks_of_graph));
    if (out.format == "kineto")
      ranks->fail("a Kineto trace says how many ranks there are", "leave \"ranks\" out");
  }
  in.finish();
  try {
    out.step = out.format == "chakra" ? read_chakra(out.files, std::move(groups), out.ranks)
                                      : read_kineto(out.files, std::move(groups));
  } catch (const Error& e) {
    if (!e.where().file.empty()) throw;
    pattern.fail(e.message(), e.hint());
  }
  out.data_parallel = out.step.is_data_parallel();
  return out;
}

void check_recorded_on(const GraphSpec& graph, const Catalog& catalog) {
  try {
    (void)gpu_spec(catalog, graph.recorded_on);
  } catch (const Error& e) {
    throw Error{e.message(), graph.where, e.hint()};
  }
}

bool takes_gpus(const GraphSpec& graph, int gpus) {
  return graph.data_parallel || gpus == graph.step.world;
}

}  // namespace rackcast

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands/commands.hpp"
#include "scenarios/listings/topology_view.hpp"
#include "sim/base/atomic_file.hpp"

namespace rackcast {
namespace {

struct TopologyFlags {
  TopologyRequest request;
  std::string view;
};

/// Reads what is named and hands it to `run`.
template <class Run>
void with_target(const Arguments& args, TopologyFlags& flags, Run run) {
  flags.request.sets = args.sets;
  const Catalog catalog = open_catalog(args);
  run(catalog, topology_target(catalog, flags.request));
}

void draw(const Arguments& args, const TopologyFlags& flags, const Catalog& catalog,
          const TopologyTarget& target) {
  std::vector<std::string> drawn;  // all of them before the first is written
  for (const std::string& path : args.outputs) {
    drawn.push_back(
        draw_topology(catalog, target, flags.view, std::filesystem::path(path).extension().string()));
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) write_file_atomically(args.outputs[i], drawn[i]);
}

CLI::App* add_command(CLI::App& topology, const char* name, const char* help, Arguments& args,
                      TopologyFlags& flags) {
  CLI::App* command = topology.add_subcommand(name, help);
  command->add_option("machine", flags.request.name, "Node or cluster of the catalogue, or a scenario file")
      ->required();
  command->add_option("--gpu", flags.request.gpu, "GPU of a node template such as pcie_server");
  command->add_option("--nodes", flags.request.nodes, "So many nodes instead");
  command->add_option("--set", args.sets, "Replace a value of the scenario")->expected(1);
  command->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  return command;
}

}  // namespace

void add_topology(CLI::App& app, Arguments& args) {
  CLI::App* topology = app.add_subcommand("topology", "How a node or a cluster is wired");
  topology->require_subcommand(1);
  const auto flags = std::make_shared<TopologyFlags>();

  CLI::App* show =
      add_command(*topology, "show", "Matrix of GPUs and adapters, links, switches", args, *flags);
  show->add_flag("--json", args.json, "Print JSON instead of text");
  show->callback([&args, flags] {
    with_target(args, *flags, [&](const Catalog& catalog, const TopologyTarget& target) {
      if (!args.json) print(topology_matrix(target, terminal_options().width));
      deliver_tables(args, show_topology(catalog, target, args.json));
    });
  });

  CLI::App* drawing =
      add_command(*topology, "draw", "Draw a node, a fabric or a floor, or export the graph", args, *flags);
  drawing->add_option("-o,--output", args.outputs, "File to write: .svg, .dot or .graphml (repeatable)")
      ->required();
  drawing->add_option("--view", flags->view, "node, fabric or floor; default: what was named");
  drawing->callback([&args, flags] {
    with_target(args, *flags, [&](const Catalog& catalog, const TopologyTarget& target) {
      draw(args, *flags, catalog, target);
    });
  });

  CLI::App* check =
      add_command(*topology, "check", "Bisection, single points of failure, free ports", args, *flags);
  check->add_flag("--json", args.json, "Print JSON instead of text");
  check->callback([&args, flags] {
    with_target(args, *flags, [&](const Catalog& catalog, const TopologyTarget& target) {
      deliver_tables(args, check_topology(catalog, target));
    });
  });
}

}  // namespace rackcast

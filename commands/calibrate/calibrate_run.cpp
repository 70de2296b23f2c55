/// `rackcast calibrate run`: measure this machine.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>

#include "calibrate/box/run.hpp"
#include "calibrate/gpu/node_group.hpp"
#include "commands/calibrate/calibration.hpp"
#include "commands/commands.hpp"
#include "commands/interruption.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/version.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

/// One line that is written over again, for a terminal; nothing where standard error is a file.
void show_progress(const Progress& p) {
  if (isatty(STDERR_FILENO) == 0) return;
  if (p.current.empty()) {
    std::fputs("\r\033[K", stderr);
    return;
  }
  const std::string line = fmt::format("{}/{}  {} left  {}", p.done, p.total, to_text(p.left), p.current);
  std::fprintf(stderr, "\r\033[K%s", line.substr(0, 100).c_str());
  std::fflush(stderr);
}

struct RunArguments {
  bool quick = false, thorough = false;
  std::string output, time, leader;
  std::vector<std::string> paths, only;
  std::uint64_t seed = 1;
};

std::string run_summary(const Box& box, const std::string& output) {
  std::string text = fmt::format("{} measurements{} in {}\n", box.measurements.size(),
                                 box.complete ? "" : " (partial: interrupted or out of time)", output);
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const NotMeasured& n : box.not_measured) by_reason[n.reason].push_back(n.what);
  for (const auto& [reason, what] : by_reason)
    text += what.size() <= 9
                ? fmt::format("not measured, {}: {}\n", reason, fmt::join(what, ", "))
                : fmt::format("not measured, {}: {} and {} more\n", reason, what.front(), what.size() - 1);
  for (const std::string& warning : box.warnings) text += "warning: " + warning + "\n";
  return text + fmt::format("Next: rackcast calibrate check {0}; rackcast calibrate fit {0} -o device.json\n",
                            output);
}

/// How long the processes of several nodes wait for each other to start.
constexpr Duration start_patience{120};

bool stopped() {
  return Interruption::asked();
}

/// Nothing for a measurement of this machine alone; else our part among the nodes.
std::optional<LaunchedAs> part_among_nodes(const RunArguments& args) {
  const auto launched = launched_as([](const char* name) { return std::getenv(name); });
  if (args.leader.empty()) {
    if (launched && launched->size > 1)
      throw Error{
          fmt::format("started as {} processes, which would all write the same document", launched->size),
          {},
          "several nodes: one process on each, and --leader FIRST_NODE:PORT; one node: without mpirun",
          ErrorKind::usage};
    return std::nullopt;
  }
  if (!launched)
    throw Error{
        "--leader, but no launcher's variables say how many processes there are",
        {},
        "mpirun -np NODES --map-by ppr:1:node rackcast calibrate run ..., or srun --ntasks-per-node=1",
        ErrorKind::usage};
  if (launched->local_size > 1)
    throw Error{fmt::format("{} processes on one node; one drives all its GPUs", launched->local_size),
                {},
                "mpirun -np NODES --map-by ppr:1:node, or srun --ntasks-per-node=1",
                ErrorKind::usage};
  if (launched->size < 2)
    throw Error{"--leader with one process", {}, "leave it out for one node", ErrorKind::usage};
  return launched;
}

int run_calibrate(const RunArguments& args) {
  const std::optional<LaunchedAs> part = part_among_nodes(args);
  const NetworkAddress leader = part ? NetworkAddress::parse(args.leader) : NetworkAddress{};
  RunRequest request;
  request.effort = args.quick ? Effort::quick : args.thorough ? Effort::thorough : Effort::standard;
  if (!args.time.empty()) request.budget = parse_quantity<Duration>(args.time);
  request.paths = args.paths;
  request.only = args.only;
  request.seed = args.seed;
  request.program = std::string{version()};
  request.date = today();
  const Interruption interruption;
  std::string reason;
  std::shared_ptr<GpuDriver> driver = open_gpu_driver(reason);
  if (part && part->rank > 0) {
    follow(driver.get(), reason, leader, part->rank, part->size, start_patience, stopped);
    return stopped() ? Exit::interrupted : Exit::ok;
  }
  check_writable(args.output);
  std::shared_ptr<NodeGroup> group;
  if (part) {
    Listener listener{leader};
    group = NodeGroup::lead(driver, listener, part->size, start_patience, stopped);
    request.gpus_of_nodes = group->gpus_of_nodes();
    driver = group;
  }
  const Box box = calibrate_run(request, driver, reason, {steady_seconds, stopped, show_progress});
  write_file_atomically(args.output, box_text(box));
  print(run_summary(box, args.output));
  if (group && group->stuck()) return Exit::internal;  // the launcher then ends the nodes that hang
  return stopped() ? Exit::interrupted : Exit::ok;
}

}  // namespace

void add_calibrate_run(CLI::App& calibrate, Arguments& arguments) {
  CLI::App* run = calibrate.add_subcommand("run", "Measure this machine: CPU, memory, GPUs, storage");
  const auto args = std::make_shared<RunArguments>();
  run->add_option("-o,--output", args->output, "Document to write (JSON)")->required();
  CLI::Option* quick = run->add_flag("--quick", args->quick, "Two minutes instead of ten");
  run->add_flag("--thorough", args->thorough, "An hour")->excludes(quick);
  run->add_option("--time", args->time, "At most this long, e.g. \"5 min\"");
  run->add_option("--path", args->paths, "Folder whose storage is measured (repeatable)");
  run->add_option("--only", args->only, "Only this kind: cpu_gemm, storage_read, ... (repeatable)");
  run->add_option("--leader", args->leader,
                  "ADDRESS:PORT of rank 0: collectives across nodes, one process on each by mpirun or srun");
  run->add_option("--seed", args->seed, "Seed of the order and of the test data; default: 1");
  run->callback([args, &arguments] { arguments.code = run_calibrate(*args); });
}

}  // namespace rackcast

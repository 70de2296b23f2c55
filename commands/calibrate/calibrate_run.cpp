/// `rackcast calibrate run`: measure this machine.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
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
  bool quick = false, thorough = false, resume = false;
  std::string output, time, leader;
  std::vector<std::string> paths, only;
  std::uint64_t seed = 1;
};

/// The document while it grows. One that stood at `output` stays as it was until the run ends.
std::string part_file(const std::string& output) {
  return output + ".part";
}

/// Whether a file can stand here, or stands here already. Where that cannot be told, writing says why.
bool is_place_of_file(const std::string& path) {
  std::error_code error;
  switch (std::filesystem::status(path, error).type()) {
    case std::filesystem::file_type::none:
    case std::filesystem::file_type::not_found:
    case std::filesystem::file_type::regular:
    case std::filesystem::file_type::directory:
      return true;
    default:
      return false;
  }
}

/// Writes the growing document. What is no regular file (a pipe, /dev/stdout) has none.
class PartFile {
 public:
  explicit PartFile(const std::string& output)
      : path_(part_file(output)), kept_(is_place_of_file(output) && is_place_of_file(path_)) {
    if (kept_) check_writable(path_);
  }
  /// A failure is no end of the run: the next write may succeed, and the last one must.
  void write(const Box& so_far) {
    if (!kept_) return;
    try {
      write_file_atomically(path_, box_text(so_far));
      failure_.clear();
    } catch (const Error& e) {
      failure_ = e.what();
    }
  }
  /// Also what kills in the middle of a write have left.
  void remove() const {
    if (!kept_) return;
    const std::filesystem::path path{path_};
    const std::string begin = path.filename().string();
    std::error_code error;
    std::filesystem::directory_iterator it{path.has_parent_path() ? path.parent_path() : ".", error};
    std::vector<std::filesystem::path> ours;
    for (; !error && it != std::filesystem::directory_iterator{}; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (name == begin || name.starts_with(begin + ".tmp-")) ours.push_back(it->path());
    }
    for (const std::filesystem::path& file : ours) std::filesystem::remove(file, error);
  }
  [[nodiscard]] const std::string& failure() const { return failure_; }  ///< of the last write; empty: none

 private:
  std::string path_, failure_;
  bool kept_;
};

/// What an earlier run left, if it is to be resumed. Throws Error if a run that was killed left something,
/// and nobody said what is to become of it.
void find_before(const RunArguments& args, RunRequest& request) {
  const std::string part = part_file(args.output);
  const auto is_file = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
  };
  if (!args.resume && is_file(part))
    throw Error{"a run that did not end has left its measurements here", Where{part},
                "add --resume, or remove the file"};
  if (!args.resume) return;
  for (const std::string& file : {part, args.output}) {
    if (!is_file(file)) continue;
    request.before = read_box_file(file);
    request.before_file = file;
    return;
  }
}

/// Of `--resume`.
std::string kept_summary(const RunRequest& request) {
  if (!request.before) return "nothing to resume: all was measured anew\n";
  return fmt::format("{} measurements kept from {}\n",
                     std::ranges::count_if(request.before->measurements, is_kept), request.before_file);
}

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
  PartFile part_of_output{args.output};
  find_before(args, request);
  std::shared_ptr<NodeGroup> group;
  if (part) {
    Listener listener{leader};
    group = NodeGroup::lead(driver, listener, part->size, start_patience, stopped);
    request.gpus_of_nodes = group->gpus_of_nodes();
    driver = group;
  }
  const Box box = calibrate_run(request, driver, reason, {steady_seconds, stopped, show_progress},
                                [&](const Box& so_far) { part_of_output.write(so_far); });
  write_file_atomically(args.output, box_text(box));
  part_of_output.remove();
  print((args.resume ? kept_summary(request) : "") + run_summary(box, args.output));
  if (!part_of_output.failure().empty())
    print(fmt::format("warning: the growing document could not be written: {}\n", part_of_output.failure()));
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
  run->add_flag("--resume", args->resume,
                "Go on where an earlier run with this -o was interrupted, killed or out of time");
  run->add_option("--leader", args->leader,
                  "ADDRESS:PORT of rank 0: collectives across nodes, one process on each by mpirun or srun");
  run->add_option("--seed", args->seed, "Seed of the order and of the test data; default: 1");
  run->callback([args, &arguments] { arguments.code = run_calibrate(*args); });
}

}  // namespace rackcast

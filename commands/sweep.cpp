/// Commands about many points: sweep, merge.
#include "scenarios/sweep/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "calibrate/gpu/node_group.hpp"
#include "commands/commands.hpp"
#include "commands/interruption.hpp"
#ifdef RACKCAST_HAVE_MPI
#include "commands/mpi/mpi_sweep.hpp"
#endif
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {

namespace {

struct SweepFlags {
  std::vector<std::string> vary;
  std::string database, csv, shard;
  int threads = 0, slurm = 0;
};

/// One line on a terminal, about once a second, with the time that is left.
class SweepProgress {
 public:
  void operator()(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::seconds{1} && done < total) return;
    shown_ = now;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    std::fprintf(stderr, "\r\x1b[K%llu of %llu points, %.0f s left", static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(total),
                 spent / static_cast<double>(done) * static_cast<double>(total - done));
    if (done == total) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), shown_ = begin_;
};

/// As for a shell: what has a character that it would read goes into quotes.
std::string quoted(const std::string& word) {
  if (word.find_first_of(" '\"$&|<>*#;(){}[]?!`\\~") == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string command_of(const Arguments& args, const SweepFlags& flags) {
  std::string out = "rackcast sweep " + quoted(args.scenario);
  for (const std::string& set : args.sets) out += " --set " + quoted(set);
  for (const std::string& vary : flags.vary) out += " --vary " + quoted(vary);
  return out;
}

std::string part_of(const std::string& database, int shard) {
  return fmt::format("{}.part-{}", database, shard);
}

/// Until the file holds all points of its shard. False if interrupted before.
bool await_shard(const SweepStore& part, const SweepSpec& spec, int shard) {
  while (!Interruption::asked()) {
    const std::vector<bool> done = part.done(point_count(spec.axes));
    bool all = true;
    for (auto i = static_cast<std::size_t>(shard - 1); i < done.size() && all;
         i += static_cast<std::size_t>(spec.shards))
      all = done[i];
    if (all) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  return false;
}

/// One of the processes that mpirun or srun started: each computes its shard into a file of its own; the
/// first joins them.
SweepSummary run_part(SweepSpec spec, const SweepFlags& flags, const std::string& question,
                      const Catalog& catalog, const LaunchedAs& launched) {
  spec.shard = launched.rank + 1;
  spec.shards = launched.size;
  if (spec.threads == 0) spec.threads = std::max(1, available_threads() / std::max(1, launched.local_size));
  const Interruption interruption;
  SweepStore own{part_of(flags.database, spec.shard), question};
  SweepSummary done = run_sweep(spec, catalog, own);
  if (launched.rank > 0 || done.cancelled) return done;
  SweepStore all{flags.database, question};
  for (int shard = 1; shard <= spec.shards; ++shard) {
    const std::string file = part_of(flags.database, shard);
    const SweepStore part{file, question};
    done.cancelled = !await_shard(part, spec, shard);
    if (done.cancelled) return done;
    all.merge(file);
  }
  if (!flags.csv.empty()) write_file_atomically(flags.csv, sweep_csv(all));
  return done;
}

int report(const SweepSummary& done, const std::string& database);

#ifdef RACKCAST_HAVE_MPI
/// The same of a build with MPI: rank 0 keeps the file, the others compute and send it their rows.
int run_ranks(MpiRanks& ranks, SweepSpec spec, const SweepFlags& flags, const std::string& question,
              const Catalog& catalog) {
  const Interruption interruption;
  if (ranks.rank() > 0) {
    ranks.follow(spec, catalog);
    return Exit::ok;
  }
  if (isatty(STDERR_FILENO) != 0) spec.progress = SweepProgress{};
  const SweepSummary done = ranks.lead(spec, flags.database, question);
  if (!flags.csv.empty()) write_file_atomically(flags.csv, sweep_csv(SweepStore{flags.database, question}));
  return report(done, flags.database);
}
#endif

int report(const SweepSummary& done, const std::string& database) {
  print(fmt::format("{} points, {} computed now, in {}{}\n", done.points, done.computed, database,
                    done.cancelled ? "; interrupted: the same command goes on" : ""));
  return done.cancelled ? Exit::interrupted : Exit::ok;
}

int run(const Arguments& args, const SweepFlags& flags) {
  SweepSpec spec;
  spec.scenario = args.scenario;
  spec.sets = args.sets;
  spec.threads = flags.threads;
  for (const std::string& text : flags.vary) spec.axes.push_back(read_axis(text));
  if (!flags.shard.empty()) read_shard(flags.shard, spec);
  const std::string question = sweep_question(spec);
  if (flags.slurm > 0) {
    print(slurm_script(command_of(args, flags), quoted(flags.database), flags.slurm));
    return Exit::ok;
  }
  const Catalog catalog = open_catalog(args);
  spec.cancelled = Interruption::asked;
  const auto launched = launched_as([](const char* name) { return std::getenv(name); });
#ifdef RACKCAST_HAVE_MPI
  if (launched && launched->size > 1 && flags.shard.empty()) {
    MpiRanks ranks;  // one: the launcher is of another MPI
    if (ranks.size() > 1) return run_ranks(ranks, spec, flags, question, catalog);
  }
#endif
  if (launched && launched->size > 1 && flags.shard.empty())
    return report(run_part(spec, flags, question, catalog, *launched),
                  part_of(flags.database, launched->rank + 1));
  SweepStore store{flags.database, question};
  if (isatty(STDERR_FILENO) != 0) spec.progress = SweepProgress{};
  const SweepSummary done = [&] {
    const Interruption interruption;
    return run_sweep(spec, catalog, store);
  }();
  if (!flags.csv.empty()) write_file_atomically(flags.csv, sweep_csv(store));
  return report(done, flags.database);
}

}  // namespace

void add_sweep(CLI::App& app, Arguments& args) {
  CLI::App* sweep = app.add_subcommand(
      "sweep", "The scenario at many points, on all cores, into an SQLite file that can be resumed");
  add_scenario_flags(*sweep, args);
  const auto flags = std::make_shared<SweepFlags>();
  flags->database = "sweep.db";
  sweep
      ->add_option("--vary", flags->vary,
                   "What to vary: PATH=1..128, =1..1024*2, =0.5..8#16 or =a,b,c (repeatable: all "
                   "combinations)")
      ->required()
      ->allow_extra_args(false);
  sweep->add_option("--db", flags->database, "SQLite file of the results")->capture_default_str();
  sweep->add_option("--csv", flags->csv, "Write all rows of the file as CSV, too");
  sweep->add_option("--shard", flags->shard, "Only a part of the points: 2/8 is the second of eight");
  sweep->add_option("--threads", flags->threads, "Default: one per core")->check(CLI::Range(1, 4096));
  sweep->add_option("--slurm", flags->slurm, "Print a Slurm job array with this many shards instead")
      ->check(CLI::Range(1, 100000));
  sweep->callback([&args, flags] { args.code = run(args, *flags); });
}

void add_merge(CLI::App& app, Arguments&) {
  struct Flags {
    std::string into, csv;
    std::vector<std::string> parts;
  };
  CLI::App* merge = app.add_subcommand("merge", "Join the files of a sweep's shards");
  const auto flags = std::make_shared<Flags>();
  merge->add_option("into", flags->into, "SQLite file that receives all points")->required();
  merge->add_option("parts", flags->parts, "Files of shards of the same sweep")->required();
  merge->add_option("--csv", flags->csv, "Write all rows as CSV, too");
  merge->callback([flags] {
    SweepStore store{flags->into, SweepStore::question_of(flags->parts.front())};
    for (const std::string& part : flags->parts) store.merge(part);
    if (!flags->csv.empty()) write_file_atomically(flags->csv, sweep_csv(store));
    print(fmt::format("{} points in {}\n", store.rows().size(), flags->into));
  });
}

}  // namespace rackcast

/// The command line: chooses a command (commands/), turns an Error into an exit code.
/// 0 ok, 1 internal failure, 2 usage, 3 invalid input, 4 infeasible, 5 a check missed its bound, 130
/// interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/base/version.hpp"

namespace rackcast {
namespace {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return Exit::usage;
    case ErrorKind::invalid_input:
      return Exit::invalid_input;
    case ErrorKind::infeasible:
      return Exit::infeasible;
    case ErrorKind::internal:
      break;
  }
  return Exit::internal;
}

/// The number of threads is left out: it decides how long an answer takes, and no byte of it.
std::string command_line(int argc, char** argv) {
  std::string out = "rackcast";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--threads=")) continue;
    if (word == "--threads") {
      ++i;
      continue;
    }
    out += word.find_first_of(" '\"$&|<>") == std::string::npos ? " " + word : " '" + word + "'";
  }
  return out;
}

/// CLI11 says only that a command is missing. Throws Error for a first word that is no command.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(known, word) != known.end()) return;
  const std::vector<std::string> near = near_matches(word, std::span<const std::string>{known}, 1);
  throw Error{fmt::format("rackcast has no command \"{}\"", word),
              {},
              near.empty() ? "`rackcast --help` lists the commands"
                           : fmt::format("did you mean `rackcast {}`?", near.front()),
              ErrorKind::usage};
}

int run(int argc, char** argv) {
  CLI::App app{"rackcast: how a deep-learning cluster will perform, and how much of it to buy", "rackcast"};
  app.set_version_flag("--version", fmt::format("rackcast {}{}", version(),
                                                commit().empty() ? "" : fmt::format(" ({})", commit())));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  Arguments args;
  args.command_line = command_line(argc, argv);
  for (const Command& command : commands()) command.add(app, args);
  if (argc > 1) check_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool failed = e.get_exit_code() != 0;
    app.exit(e);
    if (!std::cout.flush()) throw Error{"cannot write to standard output", {}, {}, ErrorKind::internal};
    return failed ? Exit::usage : Exit::ok;
  }
  return args.code;
}

}  // namespace
}  // namespace rackcast

int main(int argc, char** argv) {
  try {
    return rackcast::run(argc, argv);
  } catch (const rackcast::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return rackcast::exit_code(e.kind());
  } catch (const std::bad_alloc&) {
    std::fputs("error: there is not enough memory\n  hint: allow the program more, or take --threads 1\n",
               stderr);
    return rackcast::internal;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s (a bug of rackcast: please report it)\n", e.what());
    return rackcast::internal;
  }
}

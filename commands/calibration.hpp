#pragma once
/// The subcommands of `rackcast calibrate`, each in a file of its own.
#include "commands/commands.hpp"

namespace rackcast {

void add_calibrate_run(CLI::App& calibrate, Arguments& args);
void add_calibrate_frameworks(CLI::App& calibrate, Arguments& args);

}  // namespace rackcast

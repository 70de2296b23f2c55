#pragma once
/// The subcommands of `rackcast calibrate`, each in a file of its own.
#include <functional>
#include <memory>
#include <string>

#include "commands/commands.hpp"

namespace rackcast {

void add_calibrate_run(CLI::App& calibrate, Arguments& args);
void add_calibrate_frameworks(CLI::App& calibrate, Arguments& args);
void add_calibrate_collectives(CLI::App& calibrate, Arguments& args);
void add_calibrate_spreads(CLI::App& calibrate, Arguments& args);
/// `check` and `diff`.
void add_calibrate_box(CLI::App& calibrate, Arguments& args);
/// Lets `fit` take a measured box; without one it calls `fit_folder`.
void add_box_fit(CLI::App& fitting, Arguments& args, const std::shared_ptr<std::string>& output,
                 const std::function<void()>& fit_folder);

}  // namespace rackcast

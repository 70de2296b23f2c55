#pragma once
/// What is fuzzed: the readers of everything that comes from outside. A target hands its bytes to a reader as
/// the program would. Bad input must end in an Error; anything else that a target throws, and any crash, is a
/// finding. One table serves the fuzzers (fuzzer.cpp) and the test that runs seeds and past findings
/// (replay_test.cpp).
#include <span>
#include <string>
#include <string_view>

namespace rackcast::fuzz {

/// What is mutated as a tree (json_mutator.cpp).
enum class Form {
  bytes,       ///< nothing
  json,        ///< the whole
  json_lines,  ///< a line
};

struct Target {
  std::string_view name;
  Form form;
  void (*read)(const std::string& bytes);
};

/// All targets, each with a line in seeds.txt.
std::span<const Target> targets();

/// Nullptr if there is none of that name.
const Target* find_target(std::string_view name);

/// Whether the reader takes the bytes. Throws what the reader throws besides errors of the input, and
/// std::logic_error for an Error that would do harm on a terminal.
bool accepts(const Target& target, const std::string& bytes);

/// Throws std::logic_error where `holds` is false: a promise about what was read.
void promise(bool holds, const char* what);

// sim
void read_json(const std::string& bytes);
void read_units(const std::string& bytes);
// scenarios
void read_scenario_text(const std::string& bytes);
void read_answer(const std::string& bytes);
void read_network(const std::string& bytes);
void read_calibration_file(const std::string& bytes);
void read_chakra_trace(const std::string& bytes);
void read_kineto_trace(const std::string& bytes);
void read_axes(const std::string& bytes);
void read_sacct_log(const std::string& bytes);
void read_validation_cases(const std::string& bytes);
void read_sweep_file(const std::string& bytes);
// topologies
void read_catalogue_entry(const std::string& bytes);
// reports
void read_result_document(const std::string& bytes);
void read_campaign_document(const std::string& bytes);
void read_comparison_document(const std::string& bytes);
void read_validation_document(const std::string& bytes);
void read_scaling_document(const std::string& bytes);
void read_table_document(const std::string& bytes);
// calibrate
void read_measured_box(const std::string& bytes);
void read_kernel_table(const std::string& bytes);
void read_messages_of_leader(const std::string& bytes);
void read_messages_of_follower(const std::string& bytes);
void read_any_import(const std::string& bytes);
/// As the kind of file that `rackcast import` calls so.
void read_import(std::string_view kind, const std::string& bytes);

}  // namespace rackcast::fuzz

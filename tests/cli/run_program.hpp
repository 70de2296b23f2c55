#pragma once
/// The program as a user runs it.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/document_faults.hpp"

namespace rackcast {

struct Outcome {
  int code = -1;  ///< -1: killed by a signal
  std::string output;
};

/// Runs `program` after `first` ("cd ...") with both streams joined and at most so many seconds, sanitizers
/// included. `before` starts it: "env NAME=value ", "timeout ... ".
inline Outcome run_program(const std::string& program, const std::string& first, const std::string& arguments,
                           int seconds = 240, const std::string& before = {}) {
  const std::string command = first + " && timeout " + std::to_string(seconds) + " " + before + "'" +
                              program + "' " + arguments + " 2>&1";
  Outcome out;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  return out;
}

/// Runs the program in the source folder. A document of a result or a campaign must hold together
/// (tests/document_faults.hpp).
inline Outcome run(const std::string& arguments, int seconds = 240, const std::string& before = {}) {
  Outcome out = run_program(RACKCAST_PROGRAM, "cd '" + std::string{RACKCAST_SOURCE_DIR} + "'", arguments,
                            seconds, before);
  const std::string begin = out.output.substr(0, 64);
  if (begin.find("\"rackcast-result\"") != std::string::npos ||
      begin.find("\"rackcast-campaign\"") != std::string::npos)
    checked(out.output);
  return out;
}

inline bool has(const Outcome& outcome, const std::string& text) {
  return outcome.output.find(text) != std::string::npos;
}

}  // namespace rackcast

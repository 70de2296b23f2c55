#pragma once
/// The program as a user runs it.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace rackcast {

struct Outcome {
  int code = -1;  ///< -1: killed by a signal
  std::string output;
};

/// Runs the program with both streams joined and at most so many seconds, sanitizers included. `before`
/// starts it: "env NAME=value ", "timeout ... ".
inline Outcome run(const std::string& arguments, int seconds = 120, const std::string& before = {}) {
  const std::string command = "cd '" + std::string{RACKCAST_SOURCE_DIR} + "' && timeout " +
                              std::to_string(seconds) + " " + before + "'" RACKCAST_PROGRAM "' " + arguments +
                              " 2>&1";
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

inline bool has(const Outcome& outcome, const std::string& text) {
  return outcome.output.find(text) != std::string::npos;
}

}  // namespace rackcast

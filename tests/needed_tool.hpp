#pragma once
/// Tests of what not every machine has say so when they cannot run. `./dev test` installs it, and there they
/// fail.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace rackcast {

/// `there`. Where it is false: prints what is not tested; fails the test under RACKCAST_TESTS_NEED_ALL, which
/// `./dev test` sets.
inline bool needed(bool there, const std::string& what, const std::string& package) {
  if (there) return true;
  const std::string words = "NOT TESTED: " + what + " is missing (Debian: apt-get install " + package + ")";
  if (std::getenv("RACKCAST_TESTS_NEED_ALL") != nullptr)
    FAIL_CHECK(words);
  else
    MESSAGE(words);
  return false;
}

}  // namespace rackcast

#include "commands/interruption.hpp"

#include <csignal>

namespace rackcast {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal handler sets it
volatile std::sig_atomic_t interrupted_by_user = 0;

}  // namespace

Interruption::Interruption() {
  interrupted_by_user = 0;
  std::signal(SIGINT, [](int) {
    interrupted_by_user = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
}

bool Interruption::asked() {
  return interrupted_by_user != 0;
}

}  // namespace rackcast

#include "commands/interruption.hpp"

#include <csignal>
#include <ctime>

namespace rackcast {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal handler sets it
volatile std::sig_atomic_t asked_at = 0;

/// Seconds since the machine started, never 0; may be asked in a signal handler.
int uptime_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int>(now.tv_sec) + 1;
}

void note(int signal) {
  const int now = uptime_seconds();
  if (asked_at == 0) {
    asked_at = now;
  } else if (now - asked_at > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

Interruption::Interruption() {
  asked_at = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::asked() {
  return asked_at != 0;
}

}  // namespace rackcast

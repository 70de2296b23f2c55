#include "commands/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "reports/blocks/format.hpp"

namespace rackcast {

namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds kQuiet{1}, kBetween{0.1};

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      start_(std::chrono::steady_clock::now()),
      last_(start_),
      terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t total) {
  if (!terminal_) return;
  const Time now = std::chrono::steady_clock::now();
  const Seconds elapsed = now - start_;
  if (elapsed < kQuiet || now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  const auto number = [](std::size_t n) {
    return reports::count_text(static_cast<std::int64_t>(n));
  };
  const double per_item = elapsed.count() / static_cast<double>(done > 0 ? done : 1);
  const std::string rest =
      total > done && done > 0
          ? fmt::format(" of {}, {:.0f} s left", number(total), per_item * static_cast<double>(total - done))
          : fmt::format(", {:.0f} s", elapsed.count());
  fmt::print(stderr, "\r\x1b[K{}: {}{}", what_, number(done), rest);
  std::fflush(stderr);
}

}  // namespace rackcast

// Both sides of the channel between calibration nodes. The other side is a socket on the loopback address
// that sends the fuzzed bytes, with the length of each message in front of each line, and then nothing.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "calibrate/gpu/channel.hpp"
#include "calibrate/gpu/node_group.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file_descriptor.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/calibrate/fake_driver.hpp"

namespace rackcast::fuzz {
namespace {

/// A line is a message. A line that begins with '!' is sent as it is, with no length in front.
std::string framed(const std::string& bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('!')) {
      out += line.substr(1);
      continue;
    }
    const std::uint32_t size = htonl(static_cast<std::uint32_t>(line.size()));
    char head[sizeof size];
    std::memcpy(head, &size, sizeof size);
    out.append(head, sizeof size) += line;
  }
  return out;
}

void send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t part = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (part <= 0) break;
    sent += static_cast<std::size_t>(part);
  }
  (void)shutdown(socket, SHUT_WR);
}

/// Closing ends the connection at once, so that many runs do not use up the ports.
void end_at_once(int socket) {
  const linger now{1, 0};
  (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace

/// A follower that is told this by what it takes for its leader.
void read_messages_of_leader(const std::string& bytes) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) throw std::runtime_error{"socketpair failed"};
  FileDescriptor other{pair[0]};
  std::optional<Channel> channel{std::in_place, pair[1]};
  std::thread leader{[&] {
    send_all(other.number(), framed(bytes));
    char answers[4096];
    while (recv(other.number(), answers, sizeof answers, 0) > 0) {
    }
  }};
  FakeDriver driver;
  std::string failure;
  try {
    serve(driver, *channel, 1);
  } catch (const Error& e) {
    failure = e.message();
  }
  channel.reset();
  leader.join();
  promise(driver.alive == 0, "a follower lets go of its work");
  if (!failure.empty()) throw Error{failure};
}

/// A leader that waits for one follower, and this calls.
void read_messages_of_follower(const std::string& bytes) {
  static Listener listener{NetworkAddress{"127.0.0.1", "0"}};
  FileDescriptor other{socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(listener.port()));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(other.number(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
    throw std::runtime_error{"cannot connect"};
  end_at_once(other.number());
  send_all(other.number(), framed(bytes));
  int asked = 0;
  const auto group = NodeGroup::lead(
      std::make_shared<FakeDriver>(), listener, 2, Duration{5}, [&] { return asked++ > 0; }, Duration{0.05});
  GpuTask task{.kind = GpuTaskKind::collective, .pattern = "all_reduce"};
  task.numbers = {{"nodes", 2}, {"ranks", 2}, {"bytes", 4096}};
  std::unique_ptr<GpuWork> work;
  double seconds = 0;
  std::string wrong;
  if (group->prepare(0, task, work).error.empty() && work && work->run(3, seconds).error.empty()) {
    promise(seconds >= 0 && seconds < 1e9, "a follower's time is a time");
    (void)work->verify(wrong);
  }
}

}  // namespace rackcast::fuzz

#include "calibrate/gpu/channel.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::uint32_t most_message = 1u << 20;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string system_words(int error) {
  return std::system_category().message(error);
}

Addresses resolve(const NetworkAddress& address) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (failed != 0)
    throw Error{fmt::format("the address {} is not known: {}", address.text(), gai_strerror(failed)),
                {},
                "--leader takes the name or address of the first node and a free port: node01:29500"};
  return {found, freeaddrinfo};
}

/// Messages are short and answered: nothing may wait for more.
void send_at_once(int socket) {
  const int on = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool readable(int socket, Duration patience) {
  pollfd at{socket, POLLIN, 0};
  const int milliseconds =
      patience > Duration{0} ? static_cast<int>(std::ceil(std::min(patience.base(), 1e6) * 1e3)) : -1;
  for (;;) {
    const int ready = poll(&at, 1, milliseconds);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) throw Error{"waiting for another node: " + system_words(errno)};
  }
}

int try_to_connect(const addrinfo& all) {
  for (const addrinfo* at = &all; at; at = at->ai_next) {
    const int made = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (made < 0) continue;
    if (connect(made, at->ai_addr, at->ai_addrlen) == 0) return made;
    (void)close(made);
  }
  return -1;
}

}  // namespace

NetworkAddress NetworkAddress::parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  NetworkAddress out;
  if (colon != std::string::npos) {
    out.host = text.substr(0, colon);
    out.port = text.substr(colon + 1);
  }
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  const bool digits = !out.port.empty() && out.port.size() <= 5 &&
                      std::ranges::all_of(out.port, [](char c) { return c >= '0' && c <= '9'; });
  if (out.host.empty() || !digits || std::stoi(out.port) > 65535)
    throw Error{fmt::format("\"{}\" is not an address with a port", text),
                {},
                "write the name of the first node and a free port: --leader node01:29500",
                ErrorKind::usage};
  return out;
}

Channel::~Channel() {
  if (socket_ >= 0) (void)close(socket_);
}

Channel Channel::connect(const NetworkAddress& address, Duration patience,
                         const std::function<bool()>& interrupted) {
  const Addresses all = resolve(address);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(patience.base());
  for (;;) {
    const int made = try_to_connect(*all);
    if (made >= 0) {
      send_at_once(made);
      return Channel{made};
    }
    if (interrupted()) throw Error{"interrupted before the leader was reached"};
    if (Clock::now() >= end)
      throw Error{fmt::format("nobody listens at {}: {}", address.text(), system_words(errno)),
                  {},
                  "--leader must name the node of rank 0, and its port must be open"};
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
}

void Channel::send(const nlohmann::json& message) {
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto size = htonl(static_cast<std::uint32_t>(text.size()));
  std::string all(sizeof size, '\0');
  std::memcpy(all.data(), &size, sizeof size);
  all += text;
  for (std::size_t sent = 0; sent < all.size();) {
    const ssize_t part = ::send(socket_, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) throw Error{"the other node is gone: " + system_words(errno)};
    sent += static_cast<std::size_t>(part);
  }
}

bool Channel::ready(Duration patience) const {
  return readable(socket_, patience);
}

void Channel::read(char* to, std::size_t bytes, Duration patience) const {
  for (std::size_t got = 0; got < bytes;) {
    if (!readable(socket_, patience)) throw Error{"the other node does not answer"};
    const ssize_t part = recv(socket_, to + got, bytes - got, 0);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw Error{"the other node is gone: " + system_words(errno)};
    if (part == 0) throw Error{"the other node is gone"};
    got += static_cast<std::size_t>(part);
  }
}

nlohmann::json Channel::receive(Duration patience) {
  std::uint32_t size = 0;
  std::array<char, sizeof size> head{};
  read(head.data(), head.size(), patience);
  std::memcpy(&size, head.data(), sizeof size);
  size = ntohl(size);
  if (size > most_message)
    throw Error{"protocol mismatch: the other process is not rackcast, or is another version"};
  std::string text(size, '\0');
  read(text.data(), text.size(), patience);
  nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object())
    throw Error{"protocol mismatch: the other process is not rackcast, or is another version"};
  return message;
}

Listener::Listener(const NetworkAddress& address) {
  const Addresses all = resolve(address);
  int error = 0;
  for (const addrinfo* at = all.get(); at && socket_ < 0; at = at->ai_next) {
    socket_ = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (socket_ < 0) continue;
    const int on = 1;
    (void)setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(socket_, at->ai_addr, at->ai_addrlen) == 0 && listen(socket_, SOMAXCONN) == 0) return;
    error = errno;
    (void)close(socket_);
    socket_ = -1;
  }
  throw Error{fmt::format("cannot listen at {}: {}", address.text(), system_words(error)),
              {},
              "--leader must name the node of rank 0 and a free port"};
}

Listener::~Listener() {
  if (socket_ >= 0) (void)close(socket_);
}

std::unique_ptr<Channel> Listener::accept(Duration patience) {
  if (!readable(socket_, patience)) return nullptr;
  const int made = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (made < 0) return nullptr;
  send_at_once(made);
  return std::make_unique<Channel>(made);
}

int Listener::port() const {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0) return 0;
  return at.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6&>(at).sin6_port)
                                  : ntohs(reinterpret_cast<const sockaddr_in&>(at).sin_port);
}

}  // namespace rackcast

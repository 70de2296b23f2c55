#pragma once
/// Messages between the processes of one measurement over several nodes: TCP, each message a JSON object with
/// its length in front. No encryption and no password: it belongs on a cluster's own network.
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// "node01:29500", "[::1]:29500". Error (usage) for another form.
struct NetworkAddress {
  std::string host, port;
  static NetworkAddress parse(const std::string& text);
  [[nodiscard]] std::string text() const { return host + ":" + port; }
};

class Channel {
 public:
  explicit Channel(int socket) : socket_{socket} {}
  Channel(Channel&& other) noexcept : socket_{other.socket_} { other.socket_ = -1; }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  /// Tries again until somebody listens or time is out. Error if nobody does, or if `interrupted`.
  static Channel connect(const NetworkAddress& address, Duration patience,
                         const std::function<bool()>& interrupted);

  /// Error if the other side is gone.
  void send(const nlohmann::json& message);
  /// Whether there is something to receive (or to learn that nothing will come) within `patience`.
  [[nodiscard]] bool ready(Duration patience) const;
  /// Waits for an object, for ever if `patience` is 0. Error if the other side is gone, or sends no JSON
  /// object.
  nlohmann::json receive(Duration patience = Duration{0});

 private:
  void read(char* to, std::size_t bytes, Duration patience) const;

  int socket_;
};

class Listener {
 public:
  /// Error if the address is not of this machine, or in use.
  explicit Listener(const NetworkAddress& address);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  /// The next who calls; null if nobody did for `patience`.
  [[nodiscard]] std::unique_ptr<Channel> accept(Duration patience);
  /// The port that was given, or was found if it was 0.
  [[nodiscard]] int port() const;

 private:
  int socket_ = -1;
};

}  // namespace rackcast

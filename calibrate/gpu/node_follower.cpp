// A follower: does what the leader says.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibrate/gpu/node_group.hpp"
#include "calibrate/gpu/node_messages.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

using nlohmann::json;

constexpr std::int64_t most_number = std::int64_t{1} << 53, most_repeats = 1'000'000'000;

std::string from_hex(const std::string& text) {
  std::string out;
  const auto digit = [](char c) {
    return c >= 'a' ? c - 'a' + 10 : c - '0';
  };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(16 * digit(text[i]) + digit(text[i + 1]));
  return out;
}

/// The follower's side: its own piece of the work at hand.
class Follower {
 public:
  Follower(GpuDriver& driver, int rank) : driver_{driver}, rank_{static_cast<std::size_t>(rank)} {}

  json answer(const std::string& what, const json& message) {
    if (what == "join") return outcome_json(driver_.join(meeting_of(message)));
    if (what == "prepare") {
      GpuTask task{.kind = GpuTaskKind::collective, .pattern = message.at("pattern").get<std::string>()};
      for (const auto& [name, number] : message.at("numbers").items())
        task.numbers[name] = whole_number(number, 0, most_number);
      if (!message.at("seed").is_number_unsigned()) throw Error{"the seed is no whole number"};
      task.seed = message.at("seed").get<std::uint64_t>();
      return outcome_json(driver_.prepare(0, task, work_));
    }
    if (what == "drop") {
      work_.reset();
      return outcome_json({});
    }
    if (!work_) return outcome_json({"nothing was prepared", false});
    json out;
    if (what == "run") {
      double seconds = 0;
      out = outcome_json(
          work_->run(static_cast<int>(whole_number(message, "repeats", 1, most_repeats)), seconds));
      out["seconds"] = seconds;
    } else if (what == "verify") {
      std::string wrong;
      out = outcome_json(work_->verify(wrong));
      out["wrong"] = wrong;
    } else {
      out = outcome_json({"unknown request", false});
    }
    return out;
  }

 private:
  [[nodiscard]] GpuMeeting meeting_of(const json& message) const {
    std::vector<int> gpus;
    for (const json& number : message.at("gpus"))
      gpus.push_back(static_cast<int>(whole_number(number, 1, most_gpus_of_node)));
    if (gpus.size() > most_nodes) throw Error{"more nodes than a meeting may have"};
    GpuMeeting meeting;
    meeting.id = from_hex(message.at("id").get<std::string>());
    meeting.ranks = std::accumulate(gpus.begin(), gpus.end(), 0);
    meeting.devices = gpus.at(rank_);
    meeting.first_rank = std::accumulate(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(rank_), 0);
    return meeting;
  }

  GpuDriver& driver_;
  std::size_t rank_;
  std::unique_ptr<GpuWork> work_;
};

}  // namespace

std::int64_t whole_number(const json& number, std::int64_t low, std::int64_t high) {
  const bool fits =
      number.is_number_unsigned()
          ? number.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::max<std::int64_t>(high, 0))
          : number.is_number_integer();
  if (!fits || number.get<std::int64_t>() < low || number.get<std::int64_t>() > high)
    throw Error{fmt::format("protocol mismatch: expected a whole number from {} to {}", low, high)};
  return number.get<std::int64_t>();
}

std::int64_t whole_number(const json& message, const char* key, std::int64_t low, std::int64_t high) {
  return whole_number(message.at(key), low, high);
}

int usable_gpus(GpuDriver* driver, std::string& reason) {
  std::vector<GpuFacts> facts;
  if (!driver) return 0;
  reason = driver->devices(facts).error;
  if (reason.empty() && !driver->has(GpuTaskKind::collective)) reason = "built without NCCL";
  return reason.empty() ? static_cast<int>(facts.size()) : 0;
}

void serve(GpuDriver& local, Channel& channel, int rank) {
  Follower follower{local, rank};
  for (;;) {
    const json message = channel.receive();
    json answer;
    try {
      const std::string what = message.value("do", "");
      if (what == "end") return;
      answer = follower.answer(what, message);
    } catch (const std::exception& e) {
      answer = outcome_json({e.what(), false});
    }
    channel.send(answer);
  }
}

void follow(GpuDriver* local, const std::string& reason, const NetworkAddress& leader, int rank, int size,
            Duration patience, const std::function<bool()>& interrupted) {
  std::string why = reason;
  const int gpus = usable_gpus(local, why);
  Channel channel = Channel::connect(leader, patience, interrupted);
  channel.send({{"greeting", node_greeting},
                {"rank", rank},
                {"size", size},
                {"gpus", gpus},
                {"error", why.empty() ? "no GPU" : why}});
  if (gpus == 0) throw Error{why.empty() ? "no GPU" : why};
  serve(*local, channel, rank);
}

}  // namespace rackcast

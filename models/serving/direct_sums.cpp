#include "models/serving/direct_sums.hpp"

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

struct DirectSums {
  Duration one_shot{0}, two_shots{0};
  double share_of_links = 1;
  Bytes longest{0};
};

struct DirectExchange {
  Duration start{0};
  double share_of_links = 1;
};

DirectSums read_direct_sums() {
  const Json file = parse_model_data("host/serving.json");
  ObjectReader in{file.require("direct_sums")};
  DirectSums out;
  out.one_shot = in.quantity<Duration>("one_shot");
  out.two_shots = in.quantity<Duration>("two_shots");
  out.share_of_links = in.number("share_of_links", 0.01, 1);
  out.longest = in.quantity<Bytes>("longest");
  return out;
}

DirectExchange read_direct_exchange() {
  const Json file = parse_model_data("host/serving.json");
  ObjectReader in{file.require("direct_exchange")};
  return {in.quantity<Duration>("start"), in.number("share_of_links", 0.01, 1)};
}

/// Of a GPU in one direction; nothing without NVSwitches between all ranks.
std::optional<Bandwidth> nvlink_rate_of(const Cluster& group) {
  const NodeSpec& node = group.node;
  const int links = node.gpu.nvlink_links ? node.gpu.nvlink_links->value : 0;
  if (node.nvswitches == 0 || !node.gpu_link || links < 1 || group.used_nodes() > 1) return std::nullopt;
  return *node.gpu_link->raw * static_cast<double>(links);
}

}  // namespace

std::optional<Duration> direct_sum_time(const Cluster& group, Bytes payload) {
  static const DirectSums constants = read_direct_sums();
  const auto links = nvlink_rate_of(group);
  if (!links || payload > constants.longest) return std::nullopt;
  const Bandwidth rate = *links * constants.share_of_links;
  const auto n = static_cast<double>(group.ranks.size());
  return std::min(constants.one_shot + (n - 1) * payload / rate,
                  constants.two_shots + 2 * (n - 1) / n * payload / rate);
}

std::optional<Duration> direct_exchange_time(const Cluster& group, Bytes copies) {
  static const DirectExchange constants = read_direct_exchange();
  const auto links = nvlink_rate_of(group);
  if (!links) return std::nullopt;
  const auto n = static_cast<double>(group.ranks.size());
  return constants.start + (n - 1) / n * copies / (*links * constants.share_of_links);
}

}  // namespace rackcast

#pragma once
/// What the servers of one kind of node have been asked before. Private to scenarios/serving.
///
/// A question asks the same servers many times: another rate or limit leaves their passes as they are, and
/// the same loads come back. Nodes that share this ask once; their answers are the same without it.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "models/serving/generation_service.hpp"
#include "models/serving/token_generation.hpp"

namespace rackcast {

/// One server: its passes, and its answers to loads. Questions may come from several threads; one that two
/// ask at once is answered twice, alike.
class KnownServer {
 public:
  explicit KnownServer(GenerationPasses passes) : passes_(std::move(passes)) {}
  explicit KnownServer(std::string refused) : refused_(std::move(refused)) {}

  [[nodiscard]] const std::string& refused() const {
    return refused_;
  }  ///< why it cannot be; empty if it can
  [[nodiscard]] const GenerationPasses& passes() const { return *passes_; }

  /// An answer follows from these and the passes.
  struct Load {
    std::uint64_t seed = 1;
    double speed = 1, slower = 1;
    Frequency rate{0};
    std::array<double, 3> percentiles{};

    friend bool operator<(const Load& a, const Load& b) {
      const auto parts = [](const Load& l) {
        return std::tie(l.seed, l.speed, l.slower, l.rate, l.percentiles);
      };
      return parts(a) < parts(b);
    }
  };
  ServingResult result(const Load& load, const std::function<ServingResult()>& ask);
  /// The highest rate that keeps the limits, for a load without a rate of its own.
  Frequency rate(const Load& load, const TokenLimits& limits, const std::function<Frequency()>& ask);

 private:
  std::optional<GenerationPasses> passes_;
  std::string refused_;
  std::mutex mutex_;
  std::map<Load, ServingResult> results_;
  std::map<std::pair<Load, TokenLimits>, Frequency> rates_;
};

/// The servers of one kind of node for one network, by what else their passes follow from.
class KnownServers {
 public:
  struct Asked {
    GenerationSpec spec;
    std::string framework, framework_version;

    friend bool operator<(const Asked& a, const Asked& b) {
      return std::tie(a.spec, a.framework, a.framework_version) <
             std::tie(b.spec, b.framework, b.framework_version);
    }
  };
  /// `make` throws an infeasible Error where there can be no such server.
  std::shared_ptr<KnownServer> server(const Asked& asked, const std::function<GenerationPasses()>& make);

 private:
  std::mutex mutex_;
  std::map<Asked, std::shared_ptr<KnownServer>> servers_;
};

}  // namespace rackcast

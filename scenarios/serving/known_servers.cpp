#include "scenarios/serving/known_servers.hpp"

#include <utility>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// Asks without the lock, so that others need not wait; the first answer stays.
template <class Key, class Value, class Ask>
Value known(std::mutex& mutex, std::map<Key, Value>& answers, const Key& key, const Ask& ask) {
  {
    const std::scoped_lock lock{mutex};
    if (const auto found = answers.find(key); found != answers.end()) return found->second;
  }
  Value out = ask();
  const std::scoped_lock lock{mutex};
  return answers.try_emplace(key, std::move(out)).first->second;
}

}  // namespace

ServingResult KnownServer::result(const Load& load, const std::function<ServingResult()>& ask) {
  return known(mutex_, results_, load, ask);
}

Frequency KnownServer::rate(const Load& load, const TokenLimits& limits,
                            const std::function<Frequency()>& ask) {
  return known(mutex_, rates_, std::pair{load, limits}, ask);
}

std::shared_ptr<KnownServer> KnownServers::server(const Asked& asked,
                                                  const std::function<GenerationPasses()>& make) {
  return known(mutex_, servers_, asked, [&] {
    try {
      return std::make_shared<KnownServer>(make());
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::infeasible) throw;
      return std::make_shared<KnownServer>(e.message());
    }
  });
}

}  // namespace rackcast

#include "models/exchange/convergence.hpp"

#include "models/exchange/exchange.hpp"

namespace rackcast {

double batch_factor(const ConvergenceLaw& law, double batch) {
  return (1 + batch / law.critical_batch) / (1 + law.reference_batch / law.critical_batch);
}

double staleness_factor(const ConvergenceLaw& law, double steps) {
  return 1 + law.staleness_penalty.value_or(0) * steps;
}

double staleness_steps(const ExchangeSpec& exchange) {
  if (exchange.strategy != ExchangeStrategy::parameter_server) return 0;
  switch (exchange.servers.mode) {
    case ServerMode::asynchronous:
      return 1;
    case ServerMode::stale:
      return exchange.servers.staleness;
    case ServerMode::synchronous:
      break;
  }
  return 0;
}

}  // namespace rackcast

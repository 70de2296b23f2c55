#include <algorithm>
#include <functional>
#include <iterator>

#include "scenarios/evaluate/evaluator_impl.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

void Evaluator::rehearse(const std::vector<Task>& tasks, const std::function<void(std::size_t)>& on_task) {
  Impl& own = *impl_;
  if (own.control.threads <= 1 || own.control.limited() || tasks.size() < 2) return;
  if (!own.shared) {
    own.shared = std::make_shared<SharedRuns>(own.control.on_run);
    for (const auto& [key, run] : own.runs) own.shared->add(key, run);
  }
  RunControl control = own.control;
  control.threads = 1;
  const auto threads = std::min(static_cast<std::size_t>(own.control.threads), tasks.size());
  while (own.workers.size() < threads) {
    auto worker = std::make_unique<Impl>(own.catalog, control, own.own, own.shared);
    worker->posterior = own.posterior;
    own.workers.push_back(std::unique_ptr<Evaluator>{new Evaluator{std::move(worker)}});
  }
  std::size_t done = 0;
  in_parallel(tasks.size(), static_cast<int>(threads), [&](std::size_t task, std::size_t slot) {
    try {
      tasks[task](*own.workers[slot]);
    } catch (const std::exception&) {
      // Whoever asks in earnest meets it again.
    }
    if (on_task) own.shared->say([&] { on_task(++done); });
  });
}

void Evaluator::give_back(std::size_t most) {
  std::vector<decltype(impl_->clusters)::iterator> newest;
  for (auto it = impl_->clusters.begin(); it != impl_->clusters.end(); ++it) newest.push_back(it);
  std::ranges::sort(newest, std::ranges::greater{}, [](const auto& it) { return it->second.asked; });
  std::size_t held = 0;
  for (const auto& it : newest) {
    const Topology& graph = it->second.cluster.topology;
    held += graph.devices().size() + graph.links().size();
    if (held > most && it != newest.front()) impl_->clusters.erase(it);
  }
}

std::size_t Evaluator::clusters_held() const {
  return impl_->clusters.size();
}

}  // namespace rackcast

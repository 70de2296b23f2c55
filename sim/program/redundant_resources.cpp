#include "sim/program/redundant_resources.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace rackcast {

namespace {

constexpr double rounding = 1e-12;  // relative; a sum of equal shares may miss the whole by an ulp or so
constexpr std::size_t most_batches = 32;

/// Resources of one group and capacity, decided together so that symmetric ones stay alike.
struct Batch {
  std::vector<std::uint32_t> resources;
  std::size_t users = 0;
  bool open = true;  ///< not decided yet

  [[nodiscard]] double sharing() const {
    return static_cast<double>(users) / static_cast<double>(resources.size());
  }
};

class Search {
 public:
  explicit Search(const FlowProgram& program)
      : program_(program),
        redundant_(program.resources.size(), false),
        batch_of_(redundant_.size(), 0),
        load_(redundant_.size(), 0),
        own_(redundant_.size(), 0) {
    make_batches();
  }

  std::vector<bool> run() {
    if (batches_.size() > most_batches) return std::move(redundant_);
    while (Batch* batch = most_shared()) {
      batch->open = false;
      const auto number = static_cast<std::uint32_t>(batch - batches_.data());
      add_up(number);
      std::vector<std::uint32_t> implied;
      const auto flows = flows_through(number);
      for (auto from = flows.begin(); from != flows.end();) {
        const auto to = std::find_if(from, flows.end(), [&](const Through& t) { return t.r != from->r; });
        const double most = std::min(load_[from->r], covered({&*from, static_cast<std::size_t>(to - from)}));
        // A resource that is less while it is held may bind then.
        const bool varies = program_.resources[from->r].lost_if_held > 0;
        if (!varies && most <= program_.resources[from->r].capacity * (1 + rounding))
          implied.push_back(from->r);
        load_[from->r] = 0;
        from = to;
      }
      for (const std::uint32_t r : implied) redundant_[r] = true;
    }
    return std::move(redundant_);
  }

 private:
  void make_batches() {
    std::map<std::pair<std::uint32_t, double>, std::uint32_t> known;
    for (std::uint32_t r = 0; r < program_.resources.size(); ++r) {
      const auto [it, fresh] =
          known.emplace(std::pair{program_.resources[r].group, program_.resources[r].capacity},
                        static_cast<std::uint32_t>(batches_.size()));
      if (fresh) batches_.emplace_back();
      batches_[it->second].resources.push_back(r);
      batch_of_[r] = it->second;
    }
    for (const Usage& use : program_.uses) ++batches_[batch_of_[use.resource.index]].users;
  }

  /// A resource with one user is as well kept: it ties nothing together.
  Batch* most_shared() {
    Batch* found = nullptr;
    for (Batch& batch : batches_) {
      if (!batch.open || batch.sharing() <= 1) continue;
      if (found == nullptr || batch.sharing() > found->sharing()) found = &batch;
    }
    return found;
  }

  /// The rate that a flow cannot exceed, whatever the resources of one batch say.
  [[nodiscard]] double bound(const ProgramFlow& flow, std::uint32_t batch) const {
    double rate = flow.arguments.rate_cap;
    for (const Usage& use : program_.uses_of(flow)) {
      const std::uint32_t r = use.resource.index;
      if (batch_of_[r] == batch || redundant_[r] || use.coefficient == 0) continue;
      rate = std::min(rate, program_.resources[r].capacity / use.coefficient);
    }
    return rate;
  }

  /// An actor has one flow at a time: of its flows the one that loads a resource most counts.
  void add_up(std::uint32_t batch) {
    std::vector<std::uint32_t> touched;
    for (const ProgramActor& actor : program_.actors) {
      touched.clear();
      for (std::uint32_t slot = 0; slot < program_.scripts[actor.script].flows(); ++slot) {
        add_flow(program_.flows[actor.first_flow + slot], batch, touched);
      }
      for (const std::uint32_t r : touched) load_[r] += std::exchange(own_[r], 0);
    }
  }

  void add_flow(const ProgramFlow& flow, std::uint32_t batch, std::vector<std::uint32_t>& touched) {
    double rate = -1;
    for (const Usage& use : program_.uses_of(flow)) {
      const std::uint32_t r = use.resource.index;
      if (batch_of_[r] != batch || use.coefficient == 0) continue;
      if (rate < 0) rate = bound(flow, batch);
      const double load = use.coefficient * rate;
      if (own_[r] == 0) touched.push_back(r);
      own_[r] = std::max(own_[r], load);
    }
  }

  struct Through {
    std::uint32_t r, flow;
    double coefficient;
  };
  /// The flows on the resources of a batch, by resource.
  [[nodiscard]] std::vector<Through> flows_through(std::uint32_t batch) const {
    std::vector<Through> out;
    for (std::uint32_t f = 0; f < program_.flows.size(); ++f) {
      for (const Usage& use : program_.uses_of(program_.flows[f])) {
        if (batch_of_[use.resource.index] == batch) out.push_back({use.resource.index, f, use.coefficient});
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const Through& a, const Through& b) { return a.r < b.r; });
    return out;
  }

  /// The most that can come through one resource, as one group before it lets it come; infinite if none does.
  double covered(std::span<const Through> flows) {
    std::vector<Cover> covers(batches_.size());
    ++round_;
    for (const Through& through : flows) {
      std::vector<double> loads(batches_.size(), 0);
      for (const Usage& use : program_.uses_of(program_.flows[through.flow])) {
        const std::uint32_t s = use.resource.index;
        if (s == through.r || batch_of_[s] == batch_of_[through.r] || redundant_[s]) continue;
        loads[batch_of_[s]] += use.coefficient;
        if (seen_[s] == round_) continue;
        seen_[s] = round_;
        covers[batch_of_[s]].capacity += program_.resources[s].capacity;
      }
      for (std::size_t g = 0; g < covers.size(); ++g) {
        covers[g].factor = std::max(covers[g].factor, through.coefficient / loads[g]);
      }
    }
    double least = no_cap;
    for (const Cover& cover : covers) {
      if (cover.capacity > 0) least = std::min(least, cover.factor * cover.capacity);
    }
    return least;
  }
  struct Cover {
    double factor = 0, capacity = 0;
  };

  const FlowProgram& program_;
  std::vector<bool> redundant_;
  std::vector<std::uint32_t> seen_ = std::vector<std::uint32_t>(redundant_.size(), 0);
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> batch_of_;
  std::vector<Batch> batches_;
  std::vector<double> load_, own_;
};

}  // namespace

std::vector<bool> redundant_resources(const FlowProgram& program) {
  return Search(program).run();
}

}  // namespace rackcast

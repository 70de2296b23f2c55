#include "topologies/routing/link_loads.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace rackcast {
namespace {

/// splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::size_t LinkLoads::Hash::operator()(const LinkLoad& l) const {
  return static_cast<std::size_t>(
      mix(std::bit_cast<std::uint64_t>(l.bytes) + mix(static_cast<std::uint64_t>(l.link) + 1)));
}

std::size_t LinkLoads::Hash::operator()(const Shaped& s) const {
  std::uint64_t h = static_cast<std::uint64_t>(s.shape);
  for (const LinkLoad& l : s.sums) h = mix(h + (*this)(l));
  return static_cast<std::size_t>(h);
}

LinkLoads::LinkLoads(const Topology& topology, std::size_t limit)
    : topology_{topology},
      bases_(1),
      runs_(static_cast<std::size_t>(topology.nodes())),
      state_(static_cast<std::size_t>(topology.nodes()), 0),
      limit_{limit},
      most_steps_{limit} {
  if (topology.nodes() > 0) {
    const auto& last = topology.node(topology.nodes() - 1);
    first_fabric_ = last.first_link + last.link_count;
  }
  fabric_.assign(topology.links().size() - static_cast<std::size_t>(first_fabric_), 0);
}

void LinkLoads::add(LinkId link, double bytes) {
  if (bytes == 0) return;
  if (link >= first_fabric_) {
    double& slot = fabric_[static_cast<std::size_t>(link - first_fabric_)];
    if (slot == 0) touched_.push_back(link);
    slot += bytes;
    return;
  }
  const int node = topology_.device(topology_.link(link).from).node;
  const LinkLoad key{link - topology_.node(node).first_link, bytes};
  auto it = singles_.find(key);
  if (it == singles_.end()) it = singles_.emplace(key, sequence({key})).first;
  add_sequence(node, it->second);
}

int LinkLoads::sequence(std::vector<LinkLoad> offsets) {
  sequences_.push_back({std::move(offsets)});
  return static_cast<int>(sequences_.size()) - 1;
}

int LinkLoads::repeated(int sequence, int times) {
  if (times == 1) return sequence;
  const auto key = static_cast<std::uint64_t>(sequence) << 32 | static_cast<std::uint32_t>(times);
  const auto [it, fresh] = repeated_.emplace(key, static_cast<int>(sequences_.size()));
  if (fresh) sequences_.push_back({sequences_[static_cast<std::size_t>(sequence)].offsets, times});
  return it->second;
}

void LinkLoads::add_sequence(int node, int sequence) {
  Run& run = runs_[static_cast<std::size_t>(node)];
  if (run.sequence == sequence) {
    ++run.times;
    return;
  }
  const Run ended = std::exchange(run, {sequence, 1});
  if (ended.times > 0) move_on(node, repeated(ended.sequence, ended.times));
}

void LinkLoads::move_on(int node, int sequence) {
  std::int32_t& state = state_[static_cast<std::size_t>(node)];
  const auto key = static_cast<std::uint64_t>(state) << 32 | static_cast<std::uint32_t>(sequence);
  const auto [it, fresh] = next_.emplace(key, static_cast<std::int32_t>(states()));
  if (!fresh) {
    state = it->second;
    return;
  }
  steps_.push_back({state, sequence});
  state = it->second;
  if (steps_.size() >= most_steps_) write_out();
}

std::vector<LinkLoad> LinkLoads::sums_of(std::int32_t state) {
  std::vector<std::int32_t> way;
  while (static_cast<std::size_t>(state) >= bases_.size()) {
    const Step& step = steps_[static_cast<std::size_t>(state) - bases_.size()];
    way.push_back(step.what);
    state = step.before;
  }
  const std::vector<LinkLoad>& base = bases_[static_cast<std::size_t>(state)];
  if (way.empty()) return base;
  std::vector<LinkId> used;
  const auto put = [&](const LinkLoad& load) {
    const auto at = static_cast<std::size_t>(load.link);
    if (at >= scratch_.size()) scratch_.resize(at + 1, 0);
    if (scratch_[at] == 0) used.push_back(load.link);
    scratch_[at] += load.bytes;
  };
  for (const LinkLoad& load : base) put(load);
  for (auto what = way.rbegin(); what != way.rend(); ++what) {
    const Sequence& sequence = sequences_[static_cast<std::size_t>(*what)];
    for (int i = 0; i < sequence.times; ++i)
      for (const LinkLoad& load : sequence.offsets) put(load);
  }
  std::ranges::sort(used);
  std::vector<LinkLoad> sums;
  sums.reserve(used.size());
  for (const LinkId link : used) {
    sums.push_back({link, scratch_[static_cast<std::size_t>(link)]});
    scratch_[static_cast<std::size_t>(link)] = 0;
  }
  return sums;
}

void LinkLoads::write_out() {
  std::unordered_map<std::uint64_t, std::int32_t> written;  // shape and old state, new state
  std::unordered_map<Shaped, std::int32_t, Hash> known;
  std::vector<std::vector<LinkLoad>> bases(1);
  for (std::size_t node = 0; node < state_.size(); ++node) {
    std::int32_t& state = state_[node];
    if (state == 0) continue;
    const int shape = topology_.node(static_cast<int>(node)).shape;
    const auto key = static_cast<std::uint64_t>(state) << 32 | static_cast<std::uint32_t>(shape);
    const auto [it, fresh] = written.emplace(key, 0);
    if (fresh) {
      const auto [at, unseen] = known.emplace(Shaped{shape, sums_of(state)}, 0);
      if (unseen) {
        at->second = static_cast<std::int32_t>(bases.size());
        bases.push_back(at->first.sums);
      }
      it->second = at->second;
    }
    state = it->second;
  }
  bases_ = std::move(bases);
  steps_.clear();
  next_.clear();
  most_steps_ = std::max(limit_, 4 * bases_.size());
}

std::shared_ptr<const LinkPattern> LinkLoads::take() {
  for (std::size_t node = 0; node < runs_.size(); ++node) {
    const Run ended = std::exchange(runs_[node], {});
    if (ended.times > 0) move_on(static_cast<int>(node), repeated(ended.sequence, ended.times));
  }
  write_out();
  auto out = std::make_shared<LinkPattern>();
  std::vector<std::int32_t> class_of(bases_.size(), -1);
  if (bases_.size() > 1) out->class_of_node.assign(state_.size(), -1);
  for (std::size_t node = 0; node < state_.size() && bases_.size() > 1; ++node) {
    const auto state = static_cast<std::size_t>(state_[node]);
    if (state == 0) continue;
    std::int32_t& number = class_of[state];
    if (number < 0) {
      number = static_cast<std::int32_t>(out->classes.size());
      LinkPattern::NodeClass& own = out->classes.emplace_back();
      own.first_node = static_cast<int>(node);
      own.loads = std::move(bases_[state]);
      for (LinkLoad& load : own.loads) load.link += topology_.node(own.first_node).first_link;
    }
    ++out->classes[static_cast<std::size_t>(number)].nodes;
    out->class_of_node[node] = number;
    state_[node] = 0;
  }
  bases_.assign(1, {});
  std::ranges::sort(touched_);
  for (const LinkId link : touched_) {
    double& slot = fabric_[static_cast<std::size_t>(link - first_fabric_)];
    out->fabric.push_back({link, slot});
    slot = 0;
  }
  touched_.clear();
  return out;
}

}  // namespace rackcast

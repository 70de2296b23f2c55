#include "scenarios/splits/split_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "models/split/expert_parallel.hpp"
#include "models/split/split_stages.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Ascending.
std::vector<int> divisors(std::int64_t of) {
  std::vector<int> low, high;
  for (std::int64_t d = 1; d * d <= of; ++d) {
    if (of % d != 0) continue;
    low.push_back(static_cast<int>(d));
    if (d * d != of) high.push_back(static_cast<int>(of / d));
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool takes_tensor(const TransformerShape& shape, int ways) {
  try {
    (void)shard_of(shape, ways);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Nested loops over what divides. visit(mesh) returns true to end them.
class Candidates {
 public:
  Candidates(const SplitSpace& space, const std::function<bool(const Mesh&)>& visit)
      : space_{space}, visit_{visit} {}

  bool each() {
    const int local = std::min(space_.gpus_per_node, space_.gpus);
    Mesh mesh = space_.fixed;
    for (const int tensor : choices(SplitKey::tensor, space_.fixed.tensor, [&] { return divisors(local); })) {
      if (space_.gpus % tensor != 0 || !takes_tensor(space_.shape, tensor)) continue;
      mesh.tensor = tensor;
      if (contexts(mesh)) return true;
    }
    return false;
  }

 private:
  template <class Find>
  [[nodiscard]] std::vector<int> choices(SplitKey key, int fixed, Find&& find) const {
    return space_.search.fixes(key) ? std::vector{fixed} : find();
  }

  bool contexts(Mesh mesh) {
    const auto powers = [&] {
      std::vector<int> out;
      for (std::int64_t c = 1; space_.shape.seq_len % c == 0 && c <= space_.gpus; c *= 2)
        out.push_back(static_cast<int>(c));
      return out;
    };
    for (const int context : choices(SplitKey::context, space_.fixed.context, powers)) {
      if (space_.shape.seq_len % context != 0 || space_.gpus % (mesh.tensor * context) != 0) continue;
      mesh.context = context;
      if (pipelines(mesh)) return true;
    }
    return false;
  }

  bool pipelines(Mesh mesh) {
    const int left = space_.gpus / (mesh.tensor * mesh.context);
    for (const int pipeline :
         choices(SplitKey::pipeline, space_.fixed.pipeline, [&] { return divisors(left); })) {
      if (left % pipeline != 0 || pipeline > space_.shape.layers) continue;
      mesh.pipeline = pipeline;
      mesh.data = left / pipeline;
      if (std::fmod(space_.batch, mesh.data) == 0 && experts(mesh)) return true;
    }
    return false;
  }

  bool experts(Mesh mesh) {
    const auto divide = [&] {
      return space_.shape.experts > 0 ? divisors(space_.shape.experts) : std::vector{1};
    };
    for (const int expert : choices(SplitKey::expert, space_.fixed.expert, divide)) {
      if (mesh.stage_gpus() % expert != 0) continue;
      if (expert > 1 && (space_.shape.experts == 0 || space_.shape.experts % expert != 0)) continue;
      mesh.expert = expert;
      if (micro_batches(mesh)) return true;
    }
    return false;
  }

  bool micro_batches(Mesh mesh) {
    const double each = space_.batch / mesh.data;
    const auto divide = [&] {
      return divisors(static_cast<std::int64_t>(each));
    };
    for (const int sequences :
         choices(SplitKey::micro_batch, static_cast<int>(space_.fixed.micro_batch), divide)) {
      if (std::fmod(each, sequences) != 0) continue;
      mesh.micro_batch = sequences;
      mesh.micro_batches = each / sequences;
      if (schedules(mesh)) return true;
    }
    return false;
  }

  bool schedules(Mesh mesh) {
    mesh.schedule = mesh.pipeline > 1 ? space_.fixed.schedule : PipelineSchedule::one_f_one_b;
    const bool both_ways = mesh.schedule == PipelineSchedule::dualpipe;
    if (both_ways &&
        (mesh.pipeline % 2 != 0 || !takes_micro_batches(mesh.schedule, mesh.pipeline, mesh.micro_batches)))
      return false;
    const bool parts = mesh.pipeline > 1 && mesh.schedule == PipelineSchedule::one_f_one_b;
    const std::int64_t layers = space_.shape.layers;
    const auto divide = [&] {
      return parts && layers % mesh.pipeline == 0 ? divisors(layers / mesh.pipeline) : std::vector{1};
    };
    for (int interleave : choices(SplitKey::interleave, space_.fixed.interleave, divide)) {
      if (mesh.pipeline == 1) interleave = 1;  // no parts without stages
      if (interleave > 1 && (layers % (std::int64_t{mesh.pipeline} * interleave) != 0 ||
                             std::fmod(mesh.micro_batches, mesh.pipeline) != 0))
        continue;
      mesh.interleave = interleave;
      if (recomputations(mesh)) return true;
    }
    return false;
  }

  bool recomputations(Mesh mesh) {
    for (const int recompute : choices(SplitKey::recompute, static_cast<int>(space_.fixed.recompute), [] {
           return std::vector{static_cast<int>(Recomputation::none),
                              static_cast<int>(Recomputation::selective),
                              static_cast<int>(Recomputation::full)};
         })) {
      mesh.recompute = static_cast<Recomputation>(recompute);
      if (stages(mesh)) return true;
    }
    return false;
  }

  bool stages(Mesh mesh) {
    const bool shards_all =
        mesh.expert == 1 && !space_.adapters && mesh.schedule != PipelineSchedule::dualpipe;
    const auto sharded = [&] {
      if (mesh.copies() == 1) return std::vector{0};
      return shards_all && mesh.pipeline == 1 ? std::vector{0, 1, 2, 3} : std::vector{0, 1};
    };
    for (const int stage : choices(SplitKey::zero_stage, space_.fixed.zero_stage, sharded)) {
      if (stage >= 2 && !shards_all) continue;
      if (mesh.shard_group > 0 && (stage == 0 || mesh.copies() % mesh.shard_group != 0)) continue;
      if (mesh.gathers_tensors && (stage < 3 || mesh.pipeline > 1)) continue;
      mesh.zero_stage = stage;
      if (visit_(mesh)) return true;
    }
    return false;
  }

  const SplitSpace& space_;
  const std::function<bool(const Mesh&)>& visit_;
};

auto cuts_of(const Mesh& m) {
  return std::tuple{m.gpus(),     m.tensor,     m.pipeline,  m.context,      m.expert,
                    m.interleave, m.zero_stage, m.recompute, -m.micro_batch, m.schedule};
}

std::string list_of(const std::vector<int>& numbers) {
  std::string out;
  for (const int n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return out;
}

/// The widths that the network takes, for a hint.
std::string tensor_widths(const TransformerShape& shape) {
  std::vector<int> out;
  for (const int ways : divisors(shape.heads))
    if (ways <= 1024 && takes_tensor(shape, ways)) out.push_back(ways);
  return list_of(out);
}

template <class Cut>
void check_cut(const SplitSpace& space, SplitKey key, const std::string& hint, Cut&& cut) {
  if (!space.search.fixes(key)) return;
  try {
    cut();
  } catch (const Error& e) {
    throw Error{e.message(), space.search.place(key), hint};
  }
}

}  // namespace

std::vector<Mesh> split_candidates(const SplitSpace& space) {
  std::vector<Mesh> out;
  (void)Candidates{space,
                   [&](const Mesh& mesh) {
                     out.push_back(mesh);
                     return false;
                   }}
      .each();
  return out;
}

bool has_split_candidate(const SplitSpace& space) {
  return Candidates{space,
                    [](const Mesh&) {
                      return true;
                    }}
      .each();
}

bool fewer_cuts(const Mesh& a, const Mesh& b) {
  return cuts_of(a) < cuts_of(b);
}

void check_fixed_keys(const SplitSpace& space) {
  const TransformerShape& shape = space.shape;
  const Mesh& m = space.fixed;
  check_cut(space, SplitKey::tensor, "one of " + tensor_widths(shape),
            [&] { (void)shard_of(shape, m.tensor); });
  check_cut(space, SplitKey::context, fmt::format("a divisor of {}", shape.seq_len),
            [&] { (void)divided(shape.seq_len, m.context, "tokens"); });
  check_cut(space, SplitKey::expert,
            shape.experts > 0 ? fmt::format("a divisor of {}", shape.experts) : "leave \"expert\" out", [&] {
              if (m.expert > 1 && shape.experts == 0) throw Error{"the network has no experts"};
              if (m.expert > 1) (void)divided(shape.experts, m.expert, "experts");
            });
  check_cut(space, SplitKey::pipeline, fmt::format("{} stages at most", shape.layers), [&] {
    if (m.pipeline > shape.layers)
      throw Error{fmt::format("{} layers make no {} stages", shape.layers, m.pipeline)};
  });
  check_cut(space, SplitKey::interleave, fmt::format("with the stages a divisor of {}", shape.layers), [&] {
    const std::int64_t parts = std::int64_t{m.interleave} * m.pipeline;
    if (m.interleave > 1 && shape.layers % parts != 0)
      throw Error{fmt::format("{} layers make no {} equal parts", shape.layers, parts)};
  });
  check_cut(space, SplitKey::micro_batch, "a divisor of \"global_batch\"", [&] {
    if (std::fmod(space.batch, m.micro_batch) != 0)
      throw Error{
          fmt::format("a global batch of {:.0f} sequences is no whole number of micro-batches of {:g}",
                      space.batch, m.micro_batch)};
  });
}

}  // namespace rackcast

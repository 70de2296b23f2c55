#pragma once
/// Fluid resources and the activities that share them, in simulated time.
///
/// The model. A resource is a capacity: bytes/s of a link direction, FLOP/s of a device, cores, IOPS. An
/// activity is an amount of work that flows through several resources at once, taking coefficient * rate of
/// each. Rates are weighted max-min fair at every moment (max_min.hpp has the equations and the algorithm);
/// they change only when an activity arrives or ends or a capacity changes. Between changes the work left
/// falls linearly, so the next end is known exactly:
///
///     left(t) = left(t0) - rate * (t - t0),     end = t0 + left(t0) / rate, rounded to the nearest tick.
///
/// What happens within one instant is settled once, at its end (Priority::settle). Only the connected
/// component (activities that share a resource, resources that share an activity) that was touched is solved
/// again; rates elsewhere cannot change. An activity alone on its resources needs no solver.
///
/// Activities with the same uses, weight and cap have the same rate. They are a *bundle*, and k of them are
/// one activity for the solver, whose coefficients are k times as large. The messages of a step go many at a
/// time over few ways, so a problem has as many activities as there are ways in use. A problem lists its
/// bundles in an order that depends on their content alone: the rates of what is in flight depend on what is
/// in flight, to the last bit, and not on how it came to be.
///
/// Twins are resources of one capacity that most activities load alike, such as the same link of every node
/// (set_twins). What a bundle takes of more than half of them is one claim on the whole set, with the
/// coefficient that most of them have, and one on each twin that has another one. So the cost of a change
/// does not grow with the number of twins, but with the number of exceptions.
///
/// Ends are kept in the engine's queue and corrected lazily: when an activity slows down, its old entry stays
/// and is moved on when it comes up; an earlier entry is added only when the activity will end earlier than
/// any entry says. So a rate change costs nothing or one push, and no heap has to be repaired.
///
/// When the model is wrong. Flows reach their fair rate at once: no slow start, no congestion window, no
/// loss, no head-of-line blocking, no queueing delay, and per-packet headers only as far as the coefficients
/// contain them. TCP shares by round-trip time, which weights can imitate (Low's utility view of TCP) but not
/// follow within a few round trips. Transfers of less than about ten round trips of data come out too fast;
/// incast with loss comes out much too fast. Long transfers on lossless fabrics (InfiniBand, RoCE with flow
/// control, NVLink, PCIe), disks and compute under processor sharing are modelled well. Reference for
/// accuracy and limits: P. Velho, L. Schnorr, H. Casanova, A. Legrand, "On the validity of flow-level TCP
/// network models for grid and cloud simulations", ACM TOMACS 23(4), 2013.
///
///   ResourceId link = network.add_resource("node0/nic/tx", Bandwidth{12.5e9});
///   const Usage route[] = {{link, 1.0}};
///   co_await network.run({.work = work_of(Bytes{1e9}), .uses = route, .latency = Duration{2e-6}});
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/max_min.hpp"
#include "sim/engine/trace.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// A resource of one Network, counted from 0 in the order of add_resource.
struct ResourceId {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  friend constexpr auto operator<=>(ResourceId, ResourceId) = default;
};

/// What one unit of work takes of a resource: 1 for bytes over a link, 1.1 with 10 % of headers, the bytes
/// per sample of an activity that counts samples.
struct Usage {
  ResourceId resource;
  double coefficient = 1;
};

/// Work is a plain number in the unit that makes coefficient * work fit the resources: bytes, FLOPs, samples.
constexpr double work_of(Bytes bytes) {
  return bytes.base();
}
constexpr double work_of(Flop flop) {
  return flop.base();
}

/// What to start an activity with. A resource may appear more than once: its coefficients add.
struct Activity {
  double work = 0;                ///< >= 0
  std::span<const Usage> uses{};  ///< none: bounded by rate_cap alone, or takes only its latency
  double weight = 1;              ///< > 0: share relative to others on a saturated resource
  double rate_cap = no_cap;       ///< > 0: work per second at most
  Duration latency{};             ///< >= 0: passes before any resource is used
  std::string_view name{};        ///< for the trace
  TrackId track{};                ///< lane of the trace where it does not overlap others; else none
};

/// An activity in flight; stays valid, as "ended", afterwards.
struct ActivityId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// The exact state of an activity. Another network can resume it from here, and it ends at the same tick.
/// Times are relative to the instant in which flight() is called.
struct Flight {
  double left = 0;  ///< work at `since`
  double rate = 0;  ///< since then
  SimTime since{};  ///< <= 0
  SimTime due{};    ///< end of the latency, or of the activity as things stand; `never` if it is stalled
  bool latent = false;

  friend bool operator==(const Flight&, const Flight&) = default;
};

/// Sizes of the rate problems that were solved, added up: a measure of the cost that no machine changes.
struct SolvedProblems {
  std::uint64_t problems = 0, activities = 0, usages = 0;
  void operator+=(const SolvedProblems& more) {
    problems += more.problems, activities += more.activities, usages += more.usages;
  }
};

class Network final : public EventSink, public Waitable {
 public:
  /// The engine must outlive the network.
  explicit Network(Engine& engine);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() override;

  ResourceId add_resource(std::string name, Bandwidth capacity) {
    return add(std::move(name), capacity.base());
  }
  ResourceId add_resource(std::string name, FlopRate capacity) {
    return add(std::move(name), capacity.base());
  }
  ResourceId add_resource(std::string name, Frequency capacity) {
    return add(std::move(name), capacity.base());
  }
  /// Capacity as a plain number of things at once (cores, channels); an activity's rate then is a number of
  /// them.
  ResourceId add_units(std::string name, double count) { return add(std::move(name), count); }

  /// Says that activities mostly load these alike. A hint: it changes no rate but in the last bits. They have
  /// the same capacity, which stays; each is in one set at most, and nothing is on its way.
  void set_twins(std::span<const ResourceId> twins);

  [[nodiscard]] const std::string& name(ResourceId id) const { return resources_[id.index].name; }
  /// In the base unit it was added with.
  [[nodiscard]] double capacity(ResourceId id) const { return resources_[id.index].capacity; }
  /// Takes effect in this instant; 0 stalls the activities on it.
  void set_capacity(ResourceId id, double capacity);
  /// Work times coefficient that has passed through so far, to the current instant.
  [[nodiscard]] double served(ResourceId id) const;

  /// Starts an activity in this instant. Throws Error (internal) on values out of range.
  ActivityId start(const Activity& activity);
  [[nodiscard]] bool in_flight(ActivityId id) const { return generations_[id.slot] == id.generation; }
  /// Work per second since the last settled instant; 0 before the latency is over.
  [[nodiscard]] double rate(ActivityId id) const { return in_flight(id) ? activities_[id.slot].rate : 0; }
  [[nodiscard]] double work_left(ActivityId id) const;
  /// Of an activity in flight, once the instant is settled.
  [[nodiscard]] Flight flight(ActivityId id) const;
  /// Starts an activity where it stood elsewhere; its work and latency are not read.
  ActivityId resume(const Activity& activity, const Flight& flight);

  struct EndAwaiter : WaitNode {
    EndAwaiter(Network& in, ActivityId of) : network(in), id(of) {}

    Network& network;
    ActivityId id;

    bool await_ready() const noexcept { return !network.in_flight(id); }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, network, id.slot);
      network.activities_[id.slot].waiters.push(*this);
    }
    void await_resume() const noexcept {}
  };
  /// `co_await network.wait(id)`; at once if it has ended.
  [[nodiscard]] EndAwaiter wait(ActivityId id) { return {*this, id}; }
  /// `co_await network.run(activity)`: start and wait.
  [[nodiscard]] EndAwaiter run(const Activity& activity) { return {*this, start(activity)}; }

  [[nodiscard]] std::string describe(std::uint64_t slot) const override;
  [[nodiscard]] bool outlasts_clock(std::uint64_t slot) const override;

  /// What has been solved so far.
  [[nodiscard]] const SolvedProblems& solved() const { return solved_; }

  bool confirm(std::uint64_t token, SimTime at) override;
  void fire(std::uint64_t token) override;

 private:
  static constexpr std::uint32_t no_bundle = 0xffffffff;
  static constexpr std::uint32_t no_twins = 0xffffffff;

  /// A bundle's claim on one resource, for each of its activities.
  struct Claim {
    std::uint32_t resource;
    std::uint32_t position;  ///< in the resource's users
    double coefficient;
  };
  struct User {
    std::uint32_t bundle;
    std::uint32_t claim;  ///< index in claims_
  };
  struct Resource {
    std::string name;
    double capacity = 0;
    double served = 0;             ///< without what bundles have yet to hand in
    double usage = 0;              ///< last traced
    std::vector<User> users;       ///< bundles of which an activity flows
    std::uint32_t mark = 0;        ///< round in which it was last collected
    std::uint32_t local = 0;       ///< index in the problem being solved
    std::uint32_t set = no_twins;  ///< of twin_sets_, which it is of or stands for
    std::uint32_t asked = 0;       ///< start that last asked for it
    std::uint32_t exception = 0;   ///< position in the set's exceptions while it has users
    bool touched = false;
  };
  struct TwinSet {
    std::uint32_t whole = 0;  ///< the resource that stands for all of them
    std::vector<std::uint32_t> twins;
    std::vector<std::uint32_t> exceptions;  ///< twins that have users of their own
    // Of the activity that is being started.
    double coefficient = 0;
    std::size_t claims = 0, agree = 0;
    std::ptrdiff_t votes = 0;
    [[nodiscard]] bool is_mostly_alike() const { return 2 * agree > twins.size(); }
  };
  /// Activities with the same claims, weight and cap.
  struct Bundle {
    double weight = 1;
    double rate_cap = no_cap;
    double done = 0;         ///< work of its activities that its resources have yet to count as served
    std::uint64_t hash = 0;  ///< of the content
    std::uint32_t next = no_bundle;  ///< with a hash of the same remainder
    std::uint32_t claims = 0;        ///< first of claims_
    std::uint32_t claim_count = 0;
    std::uint32_t activities = 0;  ///< in flight; 0: the bundle is free
    std::uint32_t mark = 0;        ///< round in which it was last solved
    std::uint8_t claim_class = 0;
    std::vector<std::uint32_t> flowing;  ///< slots
  };
  enum class State : std::uint8_t { free, latent, flowing };
  struct Slot {
    double left = 0;  ///< at `since`
    double rate = 0;
    SimTime since{};
    SimTime due = never;    ///< start while latent, end while flowing
    SimTime entry = never;  ///< earliest entry in the engine's queue
    std::uint32_t bundle = 0;
    std::uint32_t position = 0;  ///< in the bundle's flowing
    State state = State::free;
    WaitList waiters;
  };
  struct Traced {
    std::string name;
    SimTime start;
    double work;
    TrackId track;
  };

  ResourceId add(std::string name, double capacity);
  std::uint32_t take_slot();
  std::uint32_t prepare(const Activity& activity);
  void occupy(std::uint32_t slot);
  void give_back(std::uint32_t slot);
  std::uint32_t join_bundle(const Activity& activity);
  void leave_bundle(std::uint32_t bundle);
  void gather_claims(std::span<const Usage> uses);
  void claim_sets();
  void vote_on_sets();
  [[nodiscard]] std::uint64_t hash_of(const Activity& activity) const;
  [[nodiscard]] bool is_of(const Bundle& bundle, const Activity& activity) const;
  std::uint32_t new_bundle(const Activity& activity, std::uint64_t hash);
  void store_claims(Bundle& bundle);
  void grow_bundle_heads();
  [[nodiscard]] std::span<Claim> claims_of(const Bundle& bundle) {
    return std::span{claims_}.subspan(bundle.claims, bundle.claim_count);
  }
  [[nodiscard]] std::span<const Claim> claims_of(const Bundle& bundle) const {
    return std::span{claims_}.subspan(bundle.claims, bundle.claim_count);
  }
  void check(const Activity& activity) const;
  void enter(std::uint32_t slot);
  void leave(std::uint32_t slot);
  void vacate(Bundle& bundle);
  void add_user(std::uint32_t resource, User user);
  void remove_user(std::uint32_t resource, std::uint32_t position);
  [[nodiscard]] bool is_whole(std::uint32_t resource) const {
    return resources_[resource].set != no_twins && twin_sets_[resources_[resource].set].whole == resource;
  }
  /// The resource that stands for the twins of this one, if somebody uses that.
  [[nodiscard]] const Resource* used_whole(const Resource& resource) const;
  [[nodiscard]] double served_now(const Resource& resource) const;
  void end(std::uint32_t slot);
  void touch(std::uint32_t resource);
  void request_settle();
  void settle();
  void settle_users(std::uint32_t resource);
  void settle_around(std::uint32_t bundle);
  [[nodiscard]] bool is_alone(const Bundle& bundle) const;
  void collect(std::uint32_t bundle);
  void collect_users(std::uint32_t resource);
  void write_problem();
  std::uint32_t list(std::uint32_t resource);
  void set_rates(const Bundle& bundle, double rate);
  void set_rate(std::uint32_t slot, double rate);
  void plan(std::uint32_t slot, SimTime due);
  [[nodiscard]] double done_since(const Slot& slot) const;
  void book(Slot& slot, double done);
  void trace_start(std::uint32_t slot, const Activity& activity);
  void trace_end(std::uint32_t slot);
  void trace_usages();

  Engine& engine_;
  std::uint32_t sink_;
  double seconds_per_tick_;
  std::vector<Resource> resources_;
  std::vector<Slot> activities_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Claim> claims_;
  std::vector<std::vector<std::uint32_t>> free_claims_;  ///< by size class: blocks of 2^class claims
  std::vector<TwinSet> twin_sets_;
  std::vector<Bundle> bundles_;
  std::vector<std::uint32_t> free_bundles_;
  std::vector<std::uint32_t> bundle_heads_;  ///< by remainder of the hash: the first bundle
  std::vector<Claim> asked_;                 ///< claims of the activity that is being started
  std::vector<Claim> of_sets_;               ///< the same, while sets are found
  std::vector<std::uint32_t> sets_asked_;    ///< of them
  std::uint32_t asks_ = 0;
  std::vector<std::uint32_t> changed_;  ///< bundles to settle
  std::vector<std::uint32_t> touched_;  ///< resources to settle
  bool settle_requested_ = false;

  // Working memory of settle().
  std::uint32_t round_ = 0;
  SolvedProblems solved_;
  std::vector<std::uint32_t> component_;  ///< bundles
  MaxMinProblem problem_;
  MaxMinSolver solver_;
  std::vector<Traced> traced_;  ///< by slot, only with a tracer
};

}  // namespace rackcast

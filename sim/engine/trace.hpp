#pragma once
/// Timelines: what happened on which lane, from when to when, and how counters moved.
///
/// A tracer only records; the engine and the models hold a pointer to it, and a null pointer costs one test.
/// Lanes (tracks) are named like paths, "node0/gpu3/compute": the last part is a row, what is before it a
/// group. write_chrome_trace() gives the JSON that chrome://tracing and ui.perfetto.dev open, in an order
/// that depends on nothing but the recording (by time, at one time ends, then the longest first, then as
/// recorded), with exact decimal times in microseconds. A box is a begin and an end and not one event with a
/// length: viewers add lengths in floating point, and then boxes that follow each other seem to overlap.
/// Format: "Trace Event Format", Google, 2016.
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/engine/time.hpp"

namespace rackcast {

/// A lane of one tracer; 0 is no lane.
struct TrackId {
  std::uint32_t index = 0;
};

/// A detail of a span.
struct TraceArg {
  std::string_view key;
  std::variant<double, std::string_view> value;
};

class Tracer {
 public:
  /// `clock` must be that of the engine that is traced.
  explicit Tracer(const Clock& clock) : clock_(clock) {}

  /// The lane of that name, made if new.
  TrackId track(std::string_view name);
  /// The same where the names of group and row may hold slashes of their own.
  TrackId track(std::string_view group, std::string_view row);
  /// What is recorded from now on goes to lanes of its own, whose groups begin with `part`: a second run that
  /// starts at time 0 again must not fall on the first.
  void begin_part(std::string part) { part_ = std::move(part); }

  /// A box on a lane. Boxes of one lane must nest or follow each other; otherwise use overlapping_span.
  void span(TrackId track, std::string_view name, SimTime start, SimTime end,
            std::span<const TraceArg> args = {});
  /// A box that may overlap others of its lane.
  void overlapping_span(TrackId track, std::string_view name, SimTime start, SimTime end,
                        std::span<const TraceArg> args = {});
  /// A task of the critical path (sim/program/path_log.hpp): a box of the lane path_track(). `where`: the
  /// lane on which the task ran.
  void path_step(std::string_view where, std::string_view name, SimTime start, SimTime end);
  /// The lane of the critical path, made if new.
  TrackId path_track() { return track("Critical path", "what sets the time"); }
  /// The counter named by the lane has this value from now on.
  void counter(TrackId track, SimTime time, double value);

  /// A box, or a value of a counter, as recorded; the texts live as long as the tracer.
  struct Span {
    std::string_view group, row, name;
    SimTime start, end;
  };
  struct Value {
    std::string_view group, row;
    SimTime time;
    double value = 0;
  };
  struct PathTask {
    std::string_view where, name;
    SimTime start, end;
  };
  /// The tasks of the critical path, in the order in which they were recorded.
  [[nodiscard]] std::vector<PathTask> path() const;
  /// The boxes that nest or follow each other, in the order in which they were recorded, without those of the
  /// critical path.
  [[nodiscard]] std::vector<Span> spans() const;
  [[nodiscard]] std::vector<Value> values() const;
  [[nodiscard]] const Clock& clock() const { return clock_; }

  [[nodiscard]] std::size_t size() const { return records_.size(); }

  /// Writes everything recorded as one JSON document.
  void write_chrome_trace(std::ostream& out) const;

 private:
  enum class Kind : std::uint8_t { span, overlapping, counter, path };
  struct Record {
    Kind kind;
    std::uint32_t track;
    std::uint32_t name;  ///< index in names_
    SimTime start;
    SimTime end;
    double value;
    std::string args;         ///< the inside of a JSON object
    std::uint32_t where = 0;  ///< path: index in names_
  };
  struct Track {
    std::string group;
    std::string row;
    std::uint32_t group_number;
  };

  std::uint32_t intern(std::string_view name);
  void write_tracks(std::ostream& out) const;
  void write_record(std::ostream& out, const Record& record, std::size_t number) const;
  void write_end(std::ostream& out, const Record& record, std::size_t number) const;
  void write_box(std::ostream& out, const Record& record, std::string_view phase, SimTime time,
                 std::size_t number) const;
  void write_head(std::ostream& out, const Record& record, std::string_view phase, SimTime time) const;
  void write_time(std::ostream& out, std::int64_t ticks) const;

  Clock clock_;
  std::string part_;
  std::vector<Track> tracks_;
  std::map<std::string, std::uint32_t, std::less<>> track_by_name_;
  std::map<std::string, std::uint32_t, std::less<>> group_by_name_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> name_by_text_;
  std::vector<Record> records_;
};

}  // namespace rackcast

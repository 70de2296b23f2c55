#include "sim/engine/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace rackcast {

namespace {

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Shortest text that reads back as the same double; JSON has no infinities.
std::string number(double value) {
  if (!(value - value == 0)) return "null";
  return fmt::format("{}", value);
}

std::string inside_of(std::span<const TraceArg> args) {
  std::string out;
  for (const TraceArg& arg : args) {
    if (!out.empty()) out += ", ";
    out += quoted_json(arg.key) + ": ";
    if (const double* value = std::get_if<double>(&arg.value)) {
      out += number(*value);
    } else {
      out += quoted_json(std::get<std::string_view>(arg.value));
    }
  }
  return out;
}

}  // namespace

std::uint32_t Tracer::intern(std::string_view name) {
  if (const auto found = name_by_text_.find(name); found != name_by_text_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  name_by_text_.emplace(name, index);
  return index;
}

TrackId Tracer::track(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const bool grouped = slash != std::string_view::npos;
  return track(name.substr(0, slash), grouped ? name.substr(slash + 1) : name);
}

TrackId Tracer::track(std::string_view group, std::string_view row) {
  const std::string whole_group = part_ + std::string(group);
  const std::string name = whole_group + '\n' + std::string(row);
  if (const auto found = track_by_name_.find(name); found != track_by_name_.end()) return {found->second};
  const auto group_count = static_cast<std::uint32_t>(group_by_name_.size());
  const std::uint32_t number = group_by_name_.emplace(whole_group, group_count + 1).first->second;
  tracks_.push_back({whole_group, std::string(row), number});
  const auto index = static_cast<std::uint32_t>(tracks_.size());
  track_by_name_.emplace(name, index);
  return {index};
}

std::vector<Tracer::Span> Tracer::spans() const {
  std::vector<Span> out;
  for (const Record& r : records_) {
    const Track& track = tracks_[r.track - 1];
    if (r.kind == Kind::span) out.push_back({track.group, track.row, names_[r.name], r.start, r.end});
  }
  return out;
}

std::vector<Tracer::Value> Tracer::values() const {
  std::vector<Value> out;
  for (const Record& r : records_) {
    const Track& track = tracks_[r.track - 1];
    if (r.kind == Kind::counter) out.push_back({track.group, track.row, r.start, r.value});
  }
  return out;
}

void Tracer::span(TrackId track, std::string_view name, SimTime start, SimTime end,
                  std::span<const TraceArg> args) {
  records_.push_back({Kind::span, track.index, intern(name), start, end, 0, inside_of(args)});
}

void Tracer::overlapping_span(TrackId track, std::string_view name, SimTime start, SimTime end,
                              std::span<const TraceArg> args) {
  records_.push_back({Kind::overlapping, track.index, intern(name), start, end, 0, inside_of(args)});
}

void Tracer::path_step(std::string_view where, std::string_view name, SimTime start, SimTime end) {
  const TraceArg args[] = {{"on", where}};
  records_.push_back(
      {Kind::path, path_track().index, intern(name), start, end, 0, inside_of(args), intern(where)});
}

std::vector<Tracer::PathTask> Tracer::path() const {
  std::vector<PathTask> out;
  for (const Record& r : records_)
    if (r.kind == Kind::path) out.push_back({names_[r.where], names_[r.name], r.start, r.end});
  return out;
}

void Tracer::counter(TrackId track, SimTime time, double value) {
  records_.push_back({Kind::counter, track.index, 0, time, time, value, {}});
}

/// Ticks as microseconds, exactly: a tick is a power of ten.
void Tracer::write_time(std::ostream& out, std::int64_t ticks) const {
  const int digits = static_cast<int>(clock_.tick()) - static_cast<int>(TickLength::microsecond);
  if (digits <= 0) {
    out << ticks << (ticks == 0 ? std::string() : std::string(static_cast<std::size_t>(-digits), '0'));
    return;
  }
  std::int64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  out << fmt::format("{}.{:0{}}", ticks / unit, ticks % unit, digits);
}

void Tracer::write_head(std::ostream& out, const Record& record, std::string_view phase, SimTime time) const {
  out << ",\n{\"ph\": \"" << phase << "\", \"pid\": " << tracks_[record.track - 1].group_number
      << ", \"tid\": " << record.track << ", \"ts\": ";
  write_time(out, time.ticks);
}

void Tracer::write_record(std::ostream& out, const Record& record, std::size_t number_of_record) const {
  if (record.kind == Kind::counter) {
    write_head(out, record, "C", record.start);
    out << ", \"name\": " << quoted_json(tracks_[record.track - 1].row)
        << ", \"cat\": \"counter\", \"args\": {\"value\": " << number(record.value) << "}}";
    return;
  }
  write_box(out, record, record.kind != Kind::overlapping ? "B" : "b", record.start, number_of_record);
}

void Tracer::write_end(std::ostream& out, const Record& record, std::size_t number_of_record) const {
  write_box(out, record, record.kind != Kind::overlapping ? "E" : "e", record.end, number_of_record);
}

/// An end says name and details again: viewers pair it with its begin by them. No details, no empty ones.
void Tracer::write_box(std::ostream& out, const Record& record, std::string_view phase, SimTime time,
                       std::size_t number_of_record) const {
  write_head(out, record, phase, time);
  out << ", \"name\": " << quoted_json(names_[record.name]);
  if (record.kind != Kind::overlapping) {
    out << ", \"cat\": \"stream\"";
  } else {
    out << ", \"cat\": \"flow\", \"id\": " << number_of_record;
  }
  if (!record.args.empty()) out << ", \"args\": {" << record.args << "}";
  out << "}";
}

/// Names, and the order of the recording for viewers that would sort by name.
void Tracer::write_tracks(std::ostream& out) const {
  bool first = true;
  const auto meta = [&out, &first](std::string_view name, std::string_view key, const std::string& value,
                                   std::uint32_t group, std::size_t track) {
    out << (first ? "" : ",\n") << "{\"ph\": \"M\", \"pid\": " << group;
    if (track > 0) out << ", \"tid\": " << track;
    out << ", \"name\": \"" << name << "\", \"args\": {\"" << key << "\": " << value << "}}";
    first = false;
  };
  std::vector<std::string_view> groups(group_by_name_.size());
  for (const auto& [group, number_of_group] : group_by_name_) groups[number_of_group - 1] = group;
  for (std::uint32_t i = 1; i <= groups.size(); ++i) {
    meta("process_name", "name", quoted_json(groups[i - 1]), i, 0);
    meta("process_sort_index", "sort_index", std::to_string(i), i, 0);
  }
  for (std::size_t i = 1; i <= tracks_.size(); ++i) {
    const Track& track = tracks_[i - 1];
    meta("thread_name", "name", quoted_json(track.row), track.group_number, i);
    meta("thread_sort_index", "sort_index", std::to_string(i), track.group_number, i);
  }
}

void Tracer::write_chrome_trace(std::ostream& out) const {
  /// One line of the file. At one time ends come first, the inner box before the outer; then what begins, the
  /// outer before the inner; then the ends of what took no time.
  struct Entry {
    SimTime time;
    int rank;
    std::size_t index;
    SimTime other;  ///< of a begin its end, of an end its begin
  };
  std::vector<Entry> order;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    order.push_back({record.start, 1, i, record.end});
    if (record.kind != Kind::counter)
      order.push_back({record.end, record.end == record.start ? 2 : 0, i, record.start});
  }
  std::ranges::sort(order, [](const Entry& a, const Entry& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.other != b.other) return a.other > b.other;
    return a.rank == 1 ? a.index < b.index : a.index > b.index;
  });
  out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  write_tracks(out);
  for (const Entry& entry : order) {
    if (entry.rank == 1) {
      write_record(out, records_[entry.index], entry.index);
    } else {
      write_end(out, records_[entry.index], entry.index);
    }
  }
  out << "\n]}\n";
}

}  // namespace rackcast

#include "commands/mpi/mpi_sweep.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// Points to compute (none: the end), and rows or what went wrong, as CBOR: it keeps every bit of a number.
constexpr int kPoints = 1, kRows = 2;

void send(int rank, int tag, const nlohmann::json& message) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(message);
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

/// From anybody: who, and what.
std::pair<int, nlohmann::json> receive(int from, int tag) {
  MPI_Status status;
  MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return {status.MPI_SOURCE, nlohmann::json::from_cbor(bytes)};
}

nlohmann::json packed(const SweepRow& row) {
  nlohmann::json figures = nlohmann::json::array();
  for (const SweepFigure& figure : row.figures) {
    if (const auto* number = std::get_if<double>(&figure))
      figures.push_back(*number);
    else if (const auto* text = std::get_if<std::string>(&figure))
      figures.push_back(*text);
    else
      figures.push_back(nullptr);
  }
  return {row.index, row.values, row.feasible, row.nodes, row.gpus, row.binds, std::move(figures)};
}

SweepRow unpacked(const nlohmann::json& json) {
  SweepRow row;
  row.index = json.at(0).get<std::uint64_t>();
  row.values = json.at(1).get<std::string>();
  row.feasible = json.at(2).get<bool>();
  row.nodes = json.at(3).get<int>();
  row.gpus = json.at(4).get<int>();
  row.binds = json.at(5).get<std::string>();
  for (const nlohmann::json& figure : json.at(6)) {
    if (figure.is_string())
      row.figures.emplace_back(figure.get<std::string>());
    else if (figure.is_number())
      row.figures.emplace_back(figure.get<double>());
    else
      row.figures.emplace_back();
  }
  return row;
}

}  // namespace

MpiRanks::MpiRanks() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiRanks::~MpiRanks() {
  MPI_Finalize();
}

namespace {

/// What a rank throws, so that rank 0 throws the same.
nlohmann::json packed(const Error& e) {
  const Where& w = e.where();
  return {{"message", e.message()}, {"hint", e.hint()},     {"kind", static_cast<int>(e.kind())},
          {"file", w.file},         {"line", w.line},       {"column", w.column},
          {"pointer", w.pointer},   {"snippet", w.snippet}, {"caret", w.caret}};
}

Error unpacked_error(const nlohmann::json& json) {
  const auto text = [&](const char* key) {
    return json.at(key).get<std::string>();
  };
  const auto number = [&](const char* key) {
    return json.at(key).get<int>();
  };
  return Error{
      text("message"),
      {text("file"), number("line"), number("column"), text("pointer"), text("snippet"), number("caret")},
      text("hint"),
      static_cast<ErrorKind>(number("kind"))};
}

/// Rank 0's view of the others.
class Leader {
 public:
  Leader(const SweepSpec& spec, int size) : spec_(spec), busy_(static_cast<std::size_t>(size), false) {}

  SweepSummary run(const std::string& database, const std::string& question) {
    SweepStore store{database, question};
    work_ = sweep_work(spec_, store);
    SweepSummary summary;
    summary.points = work_.points;
    for (std::size_t rank = 1; rank < busy_.size(); ++rank) hand_out(static_cast<int>(rank));
    while (std::ranges::find(busy_, true) != busy_.end()) {
      const auto [rank, rows] = answer();
      store.add(rows);
      summary.computed += rows.size();
      if (spec_.progress) spec_.progress(summary.computed, work_.todo.size());
      if (!(spec_.cancelled && spec_.cancelled())) hand_out(rank);
    }
    summary.cancelled = summary.computed < work_.todo.size();
    return summary;
  }

  /// Whoever still computes is heard, and not listened to; then all are told that nothing is left.
  void dismiss() {
    for (std::size_t rank = 1; rank < busy_.size(); ++rank) {
      if (busy_[rank]) receive(static_cast<int>(rank), kRows);
      send(static_cast<int>(rank), kPoints, nlohmann::json::array());
    }
  }

 private:
  void hand_out(int rank) {
    const std::size_t to = std::min(next_ + work_.block, work_.todo.size());
    if (to == next_) return;
    send(rank, kPoints, nlohmann::json(std::span{work_.todo}.subspan(next_, to - next_)));
    busy_[static_cast<std::size_t>(rank)] = true;
    next_ = to;
  }

  std::pair<int, std::vector<SweepRow>> answer() {
    const auto [rank, json] = receive(MPI_ANY_SOURCE, kRows);
    busy_[static_cast<std::size_t>(rank)] = false;
    if (json.is_object()) throw unpacked_error(json);
    std::vector<SweepRow> rows;
    for (const nlohmann::json& row : json) rows.push_back(unpacked(row));
    return {rank, std::move(rows)};
  }

  const SweepSpec& spec_;
  std::vector<bool> busy_;  ///< by rank: it owes an answer
  SweepWork work_;
  std::size_t next_ = 0;  ///< of work_.todo
};

}  // namespace

SweepSummary MpiRanks::lead(const SweepSpec& spec, const std::string& database, const std::string& question) {
  Leader leader{spec, size_};
  try {
    const SweepSummary done = leader.run(database, question);
    leader.dismiss();
    return done;
  } catch (...) {
    leader.dismiss();
    throw;
  }
}

void MpiRanks::follow(const SweepSpec& spec, const Catalog& catalog) {
  SweepWorker worker{spec, catalog};
  for (;;) {
    const auto points = receive(0, kPoints).second.get<std::vector<std::uint64_t>>();
    if (points.empty()) return;
    nlohmann::json rows = nlohmann::json::array();
    try {
      for (const std::uint64_t point : points) {
        if (spec.cancelled && spec.cancelled()) break;
        rows.push_back(packed(worker.at(point)));
      }
      send(0, kRows, rows);
    } catch (const Error& e) {
      send(0, kRows, packed(e));
    }
  }
}

}  // namespace rackcast

#include "scenarios/sweep/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "sim/error.hpp"

namespace rackcast {

namespace {

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS rackcast_sweep(question TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS points(
  i INTEGER PRIMARY KEY, axis_values TEXT NOT NULL, feasible INTEGER NOT NULL, time_to_train_s REAL,
  samples_per_s REAL, step_s REAL, goodput REAL, nodes INTEGER NOT NULL, gpus INTEGER NOT NULL,
  binds TEXT NOT NULL);
)";
constexpr int kColumns = 10;
constexpr int kWaitMilliseconds = 10'000;  ///< for another process that writes

struct Statement {
  sqlite3_stmt* handle = nullptr;
  ~Statement() { sqlite3_finalize(handle); }
};

std::string text_at(sqlite3_stmt* s, int column) {
  const unsigned char* text = sqlite3_column_text(s, column);
  return text == nullptr ? std::string{}
                         : std::string{reinterpret_cast<const char*>(text),
                                       static_cast<std::size_t>(sqlite3_column_bytes(s, column))};
}

std::optional<double> number_at(sqlite3_stmt* s, int column) {
  if (sqlite3_column_type(s, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(s, column);
}

void bind(sqlite3_stmt* s, int at, const std::optional<double>& value) {
  if (value) {
    sqlite3_bind_double(s, at, *value);
  } else {
    sqlite3_bind_null(s, at);
  }
}

void bind(sqlite3_stmt* s, int at, const std::string& text) {
  sqlite3_bind_text(s, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

struct SweepStore::Impl {
  explicit Impl(std::string file, bool create) : path(std::move(file)) {
    if (!create && !std::filesystem::exists(path)) fail("there is no such file");
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(path.c_str(), &opened);
    db.reset(opened);  // there is one to close even after a failure
    if (code != SQLITE_OK) fail(message());
    sqlite3_busy_timeout(db.get(), kWaitMilliseconds);
  }

  [[nodiscard]] std::string message() const { return db ? sqlite3_errmsg(db.get()) : "out of memory"; }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error{fmt::format("sweep file {}: {}", path, what), Where{path},
                "give another file with --db, or remove this one"};
  }
  void run(const char* sql) const {
    if (sqlite3_exec(db.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(message());
  }
  void prepare(Statement& s, const char* sql) const {
    if (sqlite3_prepare_v2(db.get(), sql, -1, &s.handle, nullptr) != SQLITE_OK) fail(message());
  }
  /// True: there is a row.
  bool step(const Statement& s) const {
    const int code = sqlite3_step(s.handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(message());
    return code == SQLITE_ROW;
  }
  [[nodiscard]] std::string question() const {
    Statement s;
    prepare(s, "SELECT question FROM rackcast_sweep");
    if (!step(s)) fail("it holds no sweep");
    return text_at(s.handle, 0);
  }

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string path;
  std::unique_ptr<sqlite3, Close> db;
};

SweepStore::SweepStore(const std::string& path, const std::string& question)
    : impl_(std::make_unique<Impl>(path, true)) {
  // A commit reaches the disk before it counts; the journal is rolled back after a kill.
  impl_->run("PRAGMA synchronous=FULL; BEGIN IMMEDIATE;");
  impl_->run(kSchema);
  Statement known;
  impl_->prepare(known, "SELECT question FROM rackcast_sweep");
  if (!impl_->step(known)) {
    Statement insert;
    impl_->prepare(insert, "INSERT INTO rackcast_sweep VALUES(?)");
    bind(insert.handle, 1, question);
    impl_->step(insert);
  } else if (text_at(known.handle, 0) != question) {
    impl_->fail("it holds another sweep: the scenario, what is varied or the program has changed");
  }
  sqlite3_reset(known.handle);
  impl_->run("COMMIT");
}

SweepStore::~SweepStore() = default;

std::string SweepStore::question() const {
  return impl_->question();
}

std::string SweepStore::question_of(const std::string& path) {
  return Impl{path, false}.question();
}

std::vector<bool> SweepStore::done(std::uint64_t count) const {
  std::vector<bool> out(count, false);
  Statement s;
  impl_->prepare(s, "SELECT i FROM points");
  while (impl_->step(s)) {
    const auto i = static_cast<std::uint64_t>(sqlite3_column_int64(s.handle, 0));
    if (i < count) out[i] = true;
  }
  return out;
}

void SweepStore::add(const std::vector<SweepRow>& rows) {
  impl_->run("BEGIN IMMEDIATE");
  {
    Statement s;
    impl_->prepare(s, "INSERT INTO points VALUES(?,?,?,?,?,?,?,?,?,?)");
    for (const SweepRow& row : rows) {
      sqlite3_bind_int64(s.handle, 1, static_cast<sqlite3_int64>(row.index));
      bind(s.handle, 2, row.values);
      sqlite3_bind_int(s.handle, 3, row.feasible ? 1 : 0);
      bind(s.handle, 4, row.time_to_train_s);
      bind(s.handle, 5, row.samples_per_s);
      bind(s.handle, 6, row.step_s);
      bind(s.handle, 7, row.goodput);
      sqlite3_bind_int(s.handle, 8, row.nodes);
      sqlite3_bind_int(s.handle, 9, row.gpus);
      bind(s.handle, kColumns, row.binds);
      impl_->step(s);
      sqlite3_reset(s.handle);
    }
  }
  impl_->run("COMMIT");
}

void SweepStore::merge(const std::string& path) {
  if (question_of(path) != impl_->question()) impl_->fail(path + " holds another sweep");
  Statement attach;
  impl_->prepare(attach, "ATTACH ? AS other");
  bind(attach.handle, 1, path);
  impl_->step(attach);
  {
    Statement differ;
    impl_->prepare(differ,
                   "SELECT count(*) FROM points a JOIN other.points b USING(i) WHERE a.axis_values IS NOT "
                   "b.axis_values OR a.time_to_train_s IS NOT b.time_to_train_s OR a.binds IS NOT b.binds");
    if (impl_->step(differ) && sqlite3_column_int64(differ.handle, 0) > 0)
      impl_->fail(path + " has other results for the same points");
  }
  impl_->run("INSERT OR IGNORE INTO points SELECT * FROM other.points; DETACH other");
}

std::vector<SweepRow> SweepStore::rows() const {
  std::vector<SweepRow> out;
  Statement s;
  impl_->prepare(s, "SELECT * FROM points ORDER BY i");
  while (impl_->step(s)) {
    SweepRow row;
    row.index = static_cast<std::uint64_t>(sqlite3_column_int64(s.handle, 0));
    row.values = text_at(s.handle, 1);
    row.feasible = sqlite3_column_int(s.handle, 2) != 0;
    row.time_to_train_s = number_at(s.handle, 3);
    row.samples_per_s = number_at(s.handle, 4);
    row.step_s = number_at(s.handle, 5);
    row.goodput = number_at(s.handle, 6);
    row.nodes = sqlite3_column_int(s.handle, 7);
    row.gpus = sqlite3_column_int(s.handle, 8);
    row.binds = text_at(s.handle, 9);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace rackcast

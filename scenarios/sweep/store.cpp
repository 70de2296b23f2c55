#include "scenarios/sweep/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

constexpr int kFixed = 6;                  ///< columns before the figures
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

SweepFigure figure_at(sqlite3_stmt* s, int column) {
  const int type = sqlite3_column_type(s, column);
  if (type == SQLITE_NULL) return {};
  if (type == SQLITE_TEXT) return text_at(s, column);
  return sqlite3_column_double(s, column);
}

void put(sqlite3_stmt* s, int at, const std::string& text) {
  sqlite3_bind_text(s, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void put(sqlite3_stmt* s, int at, const SweepFigure& figure) {
  if (const auto* number = std::get_if<double>(&figure)) {
    sqlite3_bind_double(s, at, *number);
  } else if (const auto* text = std::get_if<std::string>(&figure)) {
    put(s, at, *text);
  } else {
    sqlite3_bind_null(s, at);
  }
}

/// Names of the figures. Throws Error unless they are words: they become names of columns.
std::vector<std::string> columns_of(const std::string& question, const std::string& file) {
  const auto of_a_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const Json json = parse_json(question, file);
  std::vector<std::string> out;
  for (const Json& column : json.require("columns").array()) {
    out.push_back(column.string());
    if (out.back().empty() || !std::ranges::all_of(out.back(), of_a_word))
      column.fail("this is no name of a figure", "small letters, digits and _");
  }
  return out;
}

constexpr std::string_view kSweepTable = "rackcast_sweep(question TEXT NOT NULL)";

/// The table of the points, as SQLite keeps it behind "CREATE TABLE ".
std::string points_table(const std::vector<std::string>& figures) {
  std::string out = R"(points(
  i INTEGER PRIMARY KEY, axis_values TEXT NOT NULL, feasible INTEGER NOT NULL, nodes INTEGER NOT NULL,
  gpus INTEGER NOT NULL, binds TEXT NOT NULL)";
  for (const std::string& figure : figures) out += fmt::format(", \"{}\"", figure);
  return out + ")";
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
  /// Whether there is a sweep. Throws Error where there is anything but its two tables as this program makes
  /// them: a view or a trigger of their names could compute anything, without end.
  [[nodiscard]] bool holds_sweep() const {
    std::string sweep, points;
    Statement s;
    prepare(s, "SELECT name, sql FROM sqlite_master");
    while (step(s)) {
      const std::string name = text_at(s.handle, 0);
      std::string* table = name == "rackcast_sweep" ? &sweep : name == "points" ? &points : nullptr;
      if (table == nullptr) fail("it is a database of something else");
      *table = text_at(s.handle, 1);
    }
    if (sweep.empty() && points.empty()) return false;
    if (sweep != fmt::format("CREATE TABLE {}", kSweepTable)) fail("it is a database of something else");
    if (points != "CREATE TABLE " + points_table(columns_of(stored_question(), path)))
      fail("its points have other columns than its question");
    return true;
  }
  [[nodiscard]] std::string question() const {
    if (!holds_sweep()) fail("it holds no sweep");
    return stored_question();
  }
  [[nodiscard]] std::string stored_question() const {
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
  if (!impl_->holds_sweep()) {
    impl_->run(
        fmt::format("CREATE TABLE {}; CREATE TABLE {}", kSweepTable, points_table(columns_of(question, path)))
            .c_str());
    Statement insert;
    impl_->prepare(insert, "INSERT INTO rackcast_sweep VALUES(?)");
    put(insert.handle, 1, question);
    impl_->step(insert);
  } else if (impl_->stored_question() != question) {
    impl_->fail("it holds another sweep: the scenario, what is varied or the program has changed");
  }
  impl_->run("COMMIT");
}

SweepStore::~SweepStore() = default;

std::string SweepStore::question() const {
  return impl_->stored_question();
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
    const std::size_t figures = columns_of(impl_->stored_question(), impl_->path).size();
    // A process that outlived its launcher may still write the same points, and then has the same figures.
    std::string insert = "INSERT OR IGNORE INTO points VALUES(?,?,?,?,?,?";
    for (std::size_t i = 0; i < figures; ++i) insert += ",?";
    Statement s;
    impl_->prepare(s, (insert + ")").c_str());
    for (const SweepRow& row : rows) {
      sqlite3_bind_int64(s.handle, 1, static_cast<sqlite3_int64>(row.index));
      put(s.handle, 2, row.values);
      sqlite3_bind_int(s.handle, 3, row.feasible ? 1 : 0);
      sqlite3_bind_int(s.handle, 4, row.nodes);
      sqlite3_bind_int(s.handle, 5, row.gpus);
      put(s.handle, kFixed, row.binds);
      for (std::size_t i = 0; i < figures; ++i)
        put(s.handle, kFixed + 1 + static_cast<int>(i),
            i < row.figures.size() ? row.figures[i] : SweepFigure{});
      impl_->step(s);
      sqlite3_reset(s.handle);
    }
  }
  impl_->run("COMMIT");
}

void SweepStore::merge(const std::string& path) {
  if (question_of(path) != impl_->stored_question()) impl_->fail(path + " holds another sweep");
  Statement attach;
  impl_->prepare(attach, "ATTACH ? AS other");
  put(attach.handle, 1, path);
  impl_->step(attach);
  {
    Statement differ;
    impl_->prepare(differ,
                   "SELECT count(*) FROM (SELECT * FROM other.points WHERE i IN (SELECT i FROM main.points) "
                   "EXCEPT SELECT * FROM main.points)");
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
    row.nodes = sqlite3_column_int(s.handle, 3);
    row.gpus = sqlite3_column_int(s.handle, 4);
    row.binds = text_at(s.handle, 5);
    for (int column = kFixed; column < sqlite3_column_count(s.handle); ++column)
      row.figures.push_back(figure_at(s.handle, column));
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace rackcast

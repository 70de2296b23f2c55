// The file of a sweep. The bytes are the file where they begin as one; else they are SQL that makes it, which
// reaches more than broken pages, on which SQLite itself answers.
#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "scenarios/sweep/sweep.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

constexpr int most_steps = 200;  ///< thousands of SQLite's instructions

/// Only what changes the one file.
int allowed(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA ? SQLITE_DENY
                                                                                       : SQLITE_OK;
}

void make_file(const std::string& path, const std::string& sql) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path.c_str(), &opened);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db{opened, sqlite3_close};
  if (code != SQLITE_OK) throw std::runtime_error{"cannot open " + path};
  int steps = 0;
  sqlite3_progress_handler(
      db.get(), 1000, [](void* count) { return ++*static_cast<int*>(count) > most_steps ? 1 : 0; }, &steps);
  sqlite3_set_authorizer(db.get(), allowed, nullptr);
  sqlite3_limit(db.get(), SQLITE_LIMIT_LENGTH, 1 << 20);
  (void)sqlite3_exec(db.get(), (sql).c_str(), nullptr, nullptr, nullptr);
}

}  // namespace

/// What `rackcast merge` does.
void read_sweep_file(const std::string& bytes) {
  static const std::string file = scratch_file("sweep.db"), whole = scratch_file("whole.db");
  if (bytes.starts_with("SQLite format 3")) {
    write_scratch(file, bytes);
  } else {
    remove_scratch(file);
    make_file(file, bytes.substr(0, bytes.find('\0')));
  }
  remove_scratch(whole);
  SweepStore store{whole, SweepStore::question_of(file)};
  store.merge(file);
  (void)store.done(100);
  (void)sweep_csv(store);
  const SweepStore again{file, store.question()};
  (void)sweep_csv(again);
}

}  // namespace rackcast::fuzz

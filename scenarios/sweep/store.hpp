#pragma once
/// The results of a sweep in an SQLite file: what is committed survives a kill at any moment and is never
/// computed again; what was under way is computed again.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rackcast {

/// Empty where it does not exist, as at an infeasible point.
using SweepFigure = std::variant<std::monostate, double, std::string>;

/// One point.
struct SweepRow {
  std::uint64_t index = 0;
  std::string values;  ///< of the axes, as JSON array of texts
  bool feasible = false;
  int nodes = 0, gpus = 0;
  std::vector<SweepFigure> figures;  ///< one for each of the question's "columns"
  std::string binds;                 ///< or why not
};

class SweepStore {
 public:
  /// Opens or creates. `question` is everything that determines the results (scenario, axes, version), and
  /// the names of its figures ("columns"), as JSON: a file that answers another one is refused. Throws Error
  /// for what is no sweep file.
  SweepStore(const std::string& path, const std::string& question);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  [[nodiscard]] std::string question() const;
  /// The question that a file answers. Throws Error for what is no sweep file.
  static std::string question_of(const std::string& path);

  [[nodiscard]] std::vector<bool> done(std::uint64_t count) const;
  /// All or none of them.
  void add(const std::vector<SweepRow>& rows);
  /// The rows of another file that answers the same question. Throws Error if a point is there twice with
  /// different results.
  void merge(const std::string& path);
  /// By index.
  [[nodiscard]] std::vector<SweepRow> rows() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rackcast

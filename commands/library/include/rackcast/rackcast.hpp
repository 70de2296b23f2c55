#pragma once
/// The planner as a library, for C++17 and later: rackcast.h with strings and exceptions.
///
///     rackcast::library::Options options;
///     options.sets = {"goal.deadline=21 days"};
///     const std::string document = rackcast::library::size("fleet.json", options).document;
///
/// Header only, on top of the C functions: compiler and standard library need not be those of the library.
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "rackcast/rackcast.h"

namespace rackcast::library {

/// Why there is no answer. what() is the whole message: place, what was expected, hint.
struct Error : std::exception {
  int code = RACKCAST_INTERNAL;  ///< of rackcast_code
  std::string message, problem, hint, file, pointer;
  int line = 0, column = 0;  ///< from 1; 0: not known

  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }
};

struct Options {
  std::string text;     ///< the scenario itself, if it is in no file
  std::string catalog;  ///< folder with catalogue entries of one's own
  std::string command;  ///< the command line that a result says it was asked by
  std::vector<std::string> sets, limits;
  int threads = 0;  ///< 0: one per core
  int samples = 0;  ///< of uncertainty(); 0: 256
  /// From any thread, but from one at a time. Neither may throw or ask the library.
  std::function<void(const char* what, std::size_t done, std::size_t all)> progress;
  std::function<bool()> cancelled;
};

struct Answer {
  std::string document;      ///< JSON, but of check(): a line of text
  bool feasible = true;      ///< false: the document says why no plan does
  bool interrupted = false;  ///< Options::cancelled ended the work: what was known by then
};

namespace detail {

inline Answer taken(rackcast_answer* raw) {
  if (raw == nullptr) throw std::bad_alloc{};
  const std::unique_ptr<rackcast_answer, void (*)(rackcast_answer*)> answer{raw, rackcast_free};
  const int code = rackcast_code(raw);
  Answer out{rackcast_document(raw), rackcast_feasible(raw) != 0, code == RACKCAST_INTERRUPTED};
  if (code == RACKCAST_OK || !out.document.empty()) return out;
  Error error;
  error.code = code;
  error.message = rackcast_message(raw);
  error.problem = rackcast_problem(raw);
  error.hint = rackcast_hint(raw);
  error.file = rackcast_file(raw);
  error.pointer = rackcast_pointer(raw);
  error.line = rackcast_line(raw);
  error.column = rackcast_column(raw);
  throw error;
}

/// The options of C, which live as long as this and the options of C++.
class Plain {
 public:
  explicit Plain(const Options& from) : sets_(pointers(from.sets)), limits_(pointers(from.limits)) {
    options_.text = from.text.empty() ? nullptr : from.text.c_str();
    options_.catalog = from.catalog.empty() ? nullptr : from.catalog.c_str();
    options_.command = from.command.empty() ? nullptr : from.command.c_str();
    options_.sets = sets_.data();
    options_.set_count = sets_.size();
    options_.limits = limits_.data();
    options_.limit_count = limits_.size();
    options_.threads = from.threads;
    options_.samples = from.samples;
    options_.user = const_cast<Options*>(&from);
    if (from.progress)
      options_.progress = [](void* user, const char* what, std::size_t done, std::size_t all) {
        static_cast<const Options*>(user)->progress(what, done, all);
      };
    if (from.cancelled)
      options_.cancelled = [](void* user) {
        return static_cast<const Options*>(user)->cancelled() ? 1 : 0;
      };
  }

  [[nodiscard]] const rackcast_options* get() const { return &options_; }

 private:
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> out;
    for (const std::string& text : texts) out.push_back(text.c_str());
    return out;
  }

  std::vector<const char*> sets_, limits_;
  rackcast_options options_{};
};

}  // namespace detail

// Questions, as the commands of the same names. They throw Error.

inline Answer size(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_size(scenario.c_str(), detail::Plain{options}.get()));
}
inline Answer simulate(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_simulate(scenario.c_str(), detail::Plain{options}.get()));
}
inline Answer explain(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_explain(scenario.c_str(), detail::Plain{options}.get()));
}
inline Answer uncertainty(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_uncertainty(scenario.c_str(), detail::Plain{options}.get()));
}
inline Answer campaign(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_campaign(scenario.c_str(), detail::Plain{options}.get()));
}
inline Answer check(const std::string& scenario, const Options& options = {}) {
  return detail::taken(rackcast_check(scenario.c_str(), detail::Plain{options}.get()));
}
/// A table of the catalogue ("gpus"), or with a name that entry.
inline Answer catalog(const std::string& kind, const std::string& name = {}, const Options& options = {}) {
  return detail::taken(rackcast_catalog(kind.c_str(), name.c_str(), detail::Plain{options}.get()));
}
/// What the program prints of a document; `full`: all sections of a result.
inline Answer text(const std::string& document, bool full = false) {
  return detail::taken(rackcast_text(document.c_str(), full ? 1 : 0));
}
/// Results beside each other, as pairs of a name and a document.
inline Answer compare(const std::vector<std::pair<std::string, std::string>>& results) {
  std::vector<const char*> names, documents;
  for (const auto& [name, document] : results) {
    names.push_back(name.c_str());
    documents.push_back(document.c_str());
  }
  return detail::taken(rackcast_compare(documents.data(), names.data(), results.size()));
}
/// Writes a report; the document of the answer names the files, one per line.
inline Answer report(const std::string& document, const std::string& path) {
  return detail::taken(rackcast_report(document.c_str(), path.c_str()));
}
inline std::string version() {
  return rackcast_version();
}

}  // namespace rackcast::library

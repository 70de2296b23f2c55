// The part of the Python package that calls the library; rackcast/__init__.py is what users see.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rackcast/rackcast.hpp"

namespace py = pybind11;
namespace library = rackcast::library;

namespace {

/// What Python asked for. `interrupted`: a signal (Ctrl-C), or an error of the progress function, ended the
/// work; it is thrown again where the call returns.
class Call {
 public:
  Call(std::string text, std::string catalog, std::vector<std::string> sets, std::vector<std::string> limits,
       int threads, int samples, py::object progress)
      : progress_(std::move(progress)) {
    options.text = std::move(text);
    options.catalog = std::move(catalog);
    options.sets = std::move(sets);
    options.limits = std::move(limits);
    options.threads = threads;
    options.samples = samples;
    options.cancelled = [this] {
      return is_cancelled();
    };
    if (!progress_.is_none())
      options.progress = [this](const char* what, std::size_t done, std::size_t all) {
        report(what, done, all);
      };
  }

  template <class Ask>
  library::Answer run(const Ask& ask) {
    try {
      library::Answer answer = [&] {
        const py::gil_scoped_release others_run;
        return ask(options);
      }();
      if (error_) throw *error_;
      return answer;
    } catch (const library::Error&) {
      if (error_) throw *error_;
      throw;
    }
  }

  library::Options options;

 private:
  /// Signals are looked for ten times a second, because it takes the interpreter's lock, and by the thread
  /// that asked: Python looks for none in others.
  bool is_cancelled() {
    const std::lock_guard lock{mutex_};
    const auto now = std::chrono::steady_clock::now();
    if (error_ || std::this_thread::get_id() != asker_ || now - looked_ < std::chrono::milliseconds{100})
      return error_.has_value();
    looked_ = now;
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) error_.emplace();
    return error_.has_value();
  }

  void report(const char* what, std::size_t done, std::size_t all) {
    const std::lock_guard lock{mutex_};
    if (error_) return;
    const py::gil_scoped_acquire python;
    try {
      progress_(what, done, all);
    } catch (const py::error_already_set& e) {
      error_ = e;
    }
  }

  py::object progress_;
  std::thread::id asker_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_;
  std::optional<py::error_already_set> error_;
};

py::tuple ask(const std::string& question, const std::string& scenario, const std::string& text,
              const std::string& catalog, const std::vector<std::string>& sets,
              const std::vector<std::string>& limits, int threads, int samples, const py::object& progress) {
  using Function = library::Answer (*)(const std::string&, const library::Options&);
  static constexpr std::pair<const char*, Function> questions[] = {
      {"size", library::size},         {"simulate", library::simulate},
      {"explain", library::explain},   {"uncertainty", library::uncertainty},
      {"campaign", library::campaign}, {"check", library::check}};
  for (const auto& [name, function] : questions)
    if (question == name) {
      Call call{text, catalog, sets, limits, threads, samples, progress};
      const library::Answer answer =
          call.run([&](const library::Options& options) { return function(scenario, options); });
      return py::make_tuple(answer.document, answer.feasible);
    }
  throw py::value_error("no question \"" + question + "\"");
}

}  // namespace

PYBIND11_MODULE(_rackcast, module) {
  // Never destroyed: that would be after the interpreter.
  static const auto& error_type = *new py::object{py::module_::import("rackcast._error").attr("Error")};
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const library::Error& e) {
      const py::object made =
          error_type(e.message, e.problem, e.hint, e.file, e.line, e.column, e.pointer, e.code);
      PyErr_SetObject(error_type.ptr(), made.ptr());
    }
  });
  module.def("ask", ask);
  module.def("catalog", [](const std::string& kind, const std::string& name, const std::string& folder) {
    library::Options options;
    options.catalog = folder;
    const py::gil_scoped_release others_run;
    return library::catalog(kind, name, options).document;
  });
  module.def("text", [](const std::string& document, bool full) {
    const py::gil_scoped_release others_run;
    return library::text(document, full).document;
  });
  module.def("compare", [](const std::vector<std::pair<std::string, std::string>>& results) {
    const py::gil_scoped_release others_run;
    return library::compare(results).document;
  });
  module.def("report", [](const std::string& document, const std::string& path) {
    const py::gil_scoped_release others_run;
    return library::report(document, path).document;
  });
  module.attr("version") = library::version();
}

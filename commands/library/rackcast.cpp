// The C functions of rackcast.h.
#include "rackcast/rackcast.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands/report_files.hpp"
#include "reports/pages/campaign_report.hpp"
#include "reports/pages/comparison_report.hpp"
#include "reports/pages/report.hpp"
#include "reports/pages/table_document.hpp"
#include "reports/writers/writers.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/listing.hpp"
#include "scenarios/questions/questions.hpp"
#include "scenarios/result/comparison.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/version.hpp"
#include "topologies/catalog/catalog.hpp"

struct rackcast_answer {
  int code = RACKCAST_OK;
  bool feasible = false;
  std::string document, message, problem, hint, file, pointer;
  int line = 0, column = 0;
};

namespace rackcast {
namespace {

constexpr const char* out_of_memory =
    "out of memory";  // at most 15 characters: no std::string allocates for them

int code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return RACKCAST_USAGE;
    case ErrorKind::invalid_input:
      return RACKCAST_INVALID_INPUT;
    case ErrorKind::infeasible:
      return RACKCAST_INFEASIBLE;
    case ErrorKind::internal:
      break;
  }
  return RACKCAST_INTERNAL;
}

/// A text of the caller's; "" for none.
std::string text_of(const char* text) {
  return text ? text : "";
}

/// The caller's options, and what has happened since.
class Call {
 public:
  explicit Call(const rackcast_options* options) : options_(options ? *options : rackcast_options{}) {
    if (options_.threads < 0 || options_.threads > 4096)
      throw Error{fmt::format("{} threads", options_.threads),
                  {},
                  "1 to 4096, or 0 for one per core",
                  ErrorKind::usage};
  }

  [[nodiscard]] Catalog catalog() const { return Catalog::builtin(text_of(options_.catalog)); }

  [[nodiscard]] Asked asked(const char* scenario) const {
    if (!scenario && !options_.text)
      throw Error{"no scenario", {}, "name a file, or give the text", ErrorKind::usage};
    const std::string file = scenario ? scenario : "scenario";
    const std::vector<std::string> sets = texts(options_.sets, options_.set_count);
    return {options_.text ? read_scenario_text(options_.text, file, sets) : load_scenario_text(file, sets),
            file, text_of(options_.command)};
  }

  /// Lives as long as the call. `designs`: what the question counts as such.
  [[nodiscard]] RunControl control(const char* designs = "designs tried") {
    RunControl out = read_limits(texts(options_.limits, options_.limit_count));
    out.threads = options_.threads > 0 ? options_.threads : available_threads();
    if (options_.progress) {
      out.on_run = [this](std::size_t runs) {
        tell("simulated runs", runs, 0);
      };
      out.on_design = [this, designs](std::size_t done, std::size_t all) {
        tell(designs, done, all);
      };
      out.on_nodes = [this](std::size_t done, std::size_t all) {
        tell("simulated nodes", done, all);
      };
    }
    if (options_.cancelled)
      out.cancelled = [this] {
        if (!ended_ && options_.cancelled(options_.user) != 0) ended_ = true;
        return ended_.load();
      };
    return out;
  }

  [[nodiscard]] std::size_t samples() const {
    if (options_.samples == 0) return 256;
    if (options_.samples < 16 || options_.samples > 65536)
      throw Error{fmt::format("{} samples", options_.samples), {}, "16 to 65536", ErrorKind::usage};
    return static_cast<std::size_t>(options_.samples);
  }

  [[nodiscard]] bool ended() const { return ended_; }

  void tell(const char* what, std::size_t done, std::size_t all) const {
    if (options_.progress) options_.progress(options_.user, what, done, all);
  }

 private:
  static std::vector<std::string> texts(const char* const* list, std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(text_of(list[i]));
    return out;
  }

  rackcast_options options_;
  std::atomic<bool> ended_ = false;
};

/// Puts what was thrown into an answer. Throws nothing, even without memory: short texts need none.
void describe(std::exception_ptr thrown, rackcast_answer& out) noexcept {
  out.code = RACKCAST_INTERNAL;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& e) {
    try {
      out.message = e.what();
      out.problem = e.message();
      out.hint = e.hint();
      out.file = e.where().file;
      out.pointer = e.where().pointer;
      out.line = e.where().line;
      out.column = e.where().column;
      out.code = code_of(e.kind());
    } catch (const std::bad_alloc&) {
      out.problem = out.message = out_of_memory;
    }
  } catch (const std::bad_alloc&) {
    out.problem = out.message = out_of_memory;
  } catch (const std::exception& e) {
    try {
      out.problem = out.message = e.what();
    } catch (const std::bad_alloc&) {
      out.problem = out.message = out_of_memory;
    }
  } catch (...) {
    out.problem = out.message = "unknown";
  }
}

/// Runs `work` on the options; whatever it throws becomes an answer.
template <class Work>
rackcast_answer* answer_of(const rackcast_options* options, const Work& work) noexcept {
  auto* out = new (std::nothrow) rackcast_answer;
  if (!out) return nullptr;
  bool interrupted = false;
  try {
    Call call{options};
    try {
      Answered answer = work(call);
      out->document = std::move(answer.json);
      out->feasible = answer.feasible;
      out->code = answer.feasible ? RACKCAST_OK : RACKCAST_INFEASIBLE;
      interrupted = call.ended();
    } catch (...) {
      interrupted = call.ended();
      throw;
    }
  } catch (...) {
    describe(std::current_exception(), *out);
  }
  if (interrupted) out->code = RACKCAST_INTERRUPTED;
  return out;
}

/// "rackcast-result", or "" where the document does not say what it is.
std::string format_of(const Json& document) {
  const Json* format = document.kind() == JsonKind::object ? document.find("format") : nullptr;
  return format && format->kind() == JsonKind::string ? format->string() : "";
}

/// The report of a document that has one, or an error that says what else it is.
reports::Report report_of(const Json& document, const std::string& text) {
  const std::string format = format_of(document);
  if (format == "rackcast-campaign") return reports::campaign_report(text, "document");
  if (format == "rackcast-comparison") return reports::comparison_report(text, "document");
  return reports::build_report(reports::load_result(document));
}

std::string words_of(const std::string& text, bool full) {
  const Json document = parse_json(text, "document");
  if (format_of(document) == "rackcast-table") return reports::render_tables(text);
  const reports::Report report = report_of(document, text);
  return reports::write_text(
      full || format_of(document) != "rackcast-result" ? report : reports::decide_layer(report));
}

}  // namespace
}  // namespace rackcast

using namespace rackcast;

rackcast_answer* rackcast_size(const char* scenario, const rackcast_options* options) {
  return answer_of(
      options, [&](Call& call) { return ask_size(call.asked(scenario), call.catalog(), call.control()); });
}

rackcast_answer* rackcast_simulate(const char* scenario, const rackcast_options* options) {
  return answer_of(options, [&](Call& call) {
    return ask_simulate(call.asked(scenario), call.catalog(), call.control());
  });
}

rackcast_answer* rackcast_explain(const char* scenario, const rackcast_options* options) {
  return answer_of(options, [&](Call& call) { return ask_explain(call.asked(scenario), call.catalog()); });
}

rackcast_answer* rackcast_uncertainty(const char* scenario, const rackcast_options* options) {
  return answer_of(options, [&](Call& call) {
    return ask_uncertainty(call.asked(scenario), call.catalog(), call.control("samples drawn"),
                           call.samples());
  });
}

rackcast_answer* rackcast_campaign(const char* scenario, const rackcast_options* options) {
  return answer_of(options, [&](Call& call) {
    return ask_campaign(call.asked(scenario), call.catalog(), call.control("draws"),
                        [&](Duration now, Duration all) {
                          call.tell("simulated days", static_cast<std::size_t>(now / Duration{86400}),
                                    static_cast<std::size_t>(all / Duration{86400}));
                        });
  });
}

rackcast_answer* rackcast_check(const char* scenario, const rackcast_options* options) {
  return answer_of(
      options, [&](Call& call) { return Answered{check_scenario(call.asked(scenario), call.catalog())}; });
}

rackcast_answer* rackcast_catalog(const char* kind, const char* name, const rackcast_options* options) {
  return answer_of(options, [&](Call& call) {
    const std::string entry = text_of(name);
    return Answered{entry.empty() ? list_catalog(call.catalog(), text_of(kind))
                                  : show_catalog(call.catalog(), text_of(kind), entry)};
  });
}

rackcast_answer* rackcast_text(const char* document, int full) {
  return answer_of(nullptr, [&](Call&) { return Answered{words_of(text_of(document), full != 0)}; });
}

rackcast_answer* rackcast_compare(const char* const* documents, const char* const* names, size_t count) {
  return answer_of(nullptr, [&](Call&) {
    std::vector<ComparedResult> results;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = text_of(names[i]);
      results.push_back({name, doc::read_document<doc::Result>(parse_json(text_of(documents[i]), name))});
    }
    return Answered{doc::document_text(compare(results))};
  });
}

rackcast_answer* rackcast_report(const char* document, const char* path) {
  return answer_of(nullptr, [&](Call&) {
    const std::vector<std::string> paths{text_of(path)};
    check_endings(paths);
    const std::string text = text_of(document);
    const reports::Report report = report_of(parse_json(text, "document"), text);
    return Answered{fmt::format("{}", fmt::join(write_report_files(paths, report, text), "\n"))};
  });
}

int rackcast_code(const rackcast_answer* answer) {
  return answer ? answer->code : RACKCAST_INTERNAL;
}
int rackcast_feasible(const rackcast_answer* answer) {
  return answer && answer->feasible ? 1 : 0;
}
const char* rackcast_document(const rackcast_answer* answer) {
  return answer ? answer->document.c_str() : "";
}
const char* rackcast_message(const rackcast_answer* answer) {
  return answer ? answer->message.c_str() : out_of_memory;
}
const char* rackcast_problem(const rackcast_answer* answer) {
  return answer ? answer->problem.c_str() : out_of_memory;
}
const char* rackcast_hint(const rackcast_answer* answer) {
  return answer ? answer->hint.c_str() : "";
}
const char* rackcast_file(const rackcast_answer* answer) {
  return answer ? answer->file.c_str() : "";
}
const char* rackcast_pointer(const rackcast_answer* answer) {
  return answer ? answer->pointer.c_str() : "";
}
int rackcast_line(const rackcast_answer* answer) {
  return answer ? answer->line : 0;
}
int rackcast_column(const rackcast_answer* answer) {
  return answer ? answer->column : 0;
}
void rackcast_free(rackcast_answer* answer) {
  delete answer;
}
const char* rackcast_version() {
  static const std::string text{version()};
  return text.c_str();
}

#pragma once
/// The questions that a scenario can be asked. Each answer is a document as JSON text.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "scenarios/names/run_control.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

class Catalog;
class Tracer;

/// A scenario that is asked, and how.
struct Asked {
  Json text;            ///< with "extends" and --set (load_scenario_text)
  std::string file;     ///< as messages name it
  std::string command;  ///< what the document says it was asked by; may be empty
};

struct Answered {
  std::string json;
  bool feasible = true;  ///< false: the document says why there is no plan
};

/// How many nodes: the result document of the goal of a training, or of the fleet that serves a load. What a
/// limit of `control` leaves is feasible where there is a plan among it. This and what follows throw Error
/// for what the scenario does not say or the catalogue does not know.
Answered ask_size(const Asked& asked, const Catalog& catalog, const RunControl& control = {});

/// How long, or how loaded, on the scenario's own cluster: a result document. `tracer` gets the steps of a
/// training.
Answered ask_simulate(const Asked& asked, const Catalog& catalog, const RunControl& control = {},
                      Tracer* tracer = nullptr);

/// Where time and memory of one step go, with the `top` slowest kernels: a table document. `workload`: only
/// this one; may be empty.
Answered ask_explain(const Asked& asked, const Catalog& catalog, std::string_view workload = {},
                     int top = 15);

/// How sure the answer is: a table document. `samples`: 16 to 65,536 draws. `on_design` of `control` is told
/// how many have been drawn, of about how many; `cancelled` ends it with an Error; the rest is not read.
Answered ask_uncertainty(const Asked& asked, const Catalog& catalog, const RunControl& control = {},
                         std::size_t samples = 256);

/// Days to years of jobs on the scenario's cluster: a campaign document. `on_time` is told
/// the simulated time, and when it will be over.
Answered ask_campaign(const Asked& asked, const Catalog& catalog, const RunControl& control = {},
                      const std::function<void(Duration now, Duration all)>& on_time = {});

/// A line that says the scenario has no error, without simulating.
std::string check_scenario(const Asked& asked, const Catalog& catalog);

}  // namespace rackcast

#include "models/frameworks/host_section.hpp"

namespace rackcast {

HostSection read_host_section(const Json& json) {
  constexpr double most = 1e6;
  ObjectReader in{json};
  HostSection out;
  out.operations = in.number_or("operations", 0, 0, most);
  out.operations_per_sample = in.number_or("operations_per_sample", 0, 0, most);
  out.waits = in.number_or("waits", 0, 0, most);
  out.waits_per_sample = in.number_or("waits_per_sample", 0, 0, most);
  in.finish();
  if (out.waits > out.operations || out.waits_per_sample > out.operations_per_sample)
    json.fail("more waits than operations",
              "a wait is an operation that reads its result back: count it in both");
  if (out.operations + out.operations_per_sample > 0 && !(out.waits + out.waits_per_sample > 0))
    json.fail("operations without a wait",
              "leave them out: the host runs ahead of operations that nothing waits for");
  return out;
}

}  // namespace rackcast

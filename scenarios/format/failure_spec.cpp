#include "scenarios/format/failure_spec.hpp"

#include <fmt/format.h>

namespace rackcast {

FailureSpec read_failures(const Json& json) {
  ObjectReader in{json};
  FailureSpec out;
  out.where = json.where();
  const auto duration = [&in](const char* key, std::optional<Duration>& into, bool positive) {
    if (in.has(key)) into = in.quantity<Duration>(key, positive);
  };
  duration("node_mtbf", out.node_mtbf, true);
  duration("detection", out.detection, false);
  duration("restart", out.restart, false);
  duration("repair", out.repair, false);
  duration("checkpoint_stall", out.checkpoint_stall, false);
  if (in.has("spares")) out.spares = static_cast<int>(in.integer("spares", 0, 100'000));
  if (const Json* checkpoint = in.find("checkpoint")) {
    const std::string& text = checkpoint->string();
    if (text == "young") {
      out.rule = IntervalRule::young;
    } else if (text != "daly") {
      out.rule = IntervalRule::fixed;
      try {
        out.interval = in.quantity<Duration>("checkpoint");
      } catch (const Error& e) {
        checkpoint->fail(e.message(), "write \"daly\", \"young\" or an interval such as \"30 min\"");
      }
    }
  }
  in.finish();
  return out;
}

}  // namespace rackcast

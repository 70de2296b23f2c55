#pragma once
/// One repeating step as lanes of boxes: what a report draws. Taken from a trace.
#include <string>
#include <utility>
#include <vector>

#include "scenarios/document/drawing.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Tracer;

struct StepTimeline {
  struct Span {
    std::string name;
    Duration start{0}, length{0};  ///< since the begin of the step, and only what lies in the step
  };
  struct Lane {
    std::string name;  ///< "Node 0, GPU 0, compute stream"
    std::vector<Span> spans;
  };
  /// A link or server: from each moment on this share of its rate is in use.
  struct Share {
    std::string name;
    double mean = 0;
    std::vector<std::pair<Duration, double>> points;
  };
  /// What a part of the critical path is: a task by its name, and on which stream it ran.
  struct PathPart {
    std::string what, where;
    Duration time{0};  ///< of the step
  };
  Duration length{0};  ///< from the end of one update to the end of the next; 0: nothing was traced
  std::vector<Lane> lanes;
  std::vector<Share> shares;   ///< the busiest first
  std::vector<PathPart> path;  ///< together they are the step
};

/// The last step that was recorded whole; the whole trace where there are not two updates. The critical path
/// and at most 12 lanes of 400 boxes, those that it takes first, the narrow boxes joined where there are
/// more, the 6 busiest counters, and the 20 longest parts of the critical path; what is in the others is
/// summed up by its name.
StepTimeline step_timeline(const Tracer& tracer);

doc::Timeline timeline_document(const StepTimeline& timeline);

}  // namespace rackcast

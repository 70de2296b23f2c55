#pragma once
/// The scenario's own measurements ("calibration"): GPU models of `rackcast calibrate fit box.json`, and
/// all-reduce curves of the same or of `rackcast import nccl-tests`.
#include <string>
#include <vector>

#include "models/collectives/refinement.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

/// An all-reduce curve and the machine that it was measured on.
struct MeasuredCurve {
  std::string file, gpu;  ///< catalogue id; empty: the file does not say
  int gpus = 0, nodes = 1;
  std::vector<CurvePoint> points;
};

struct Calibration {
  std::vector<Json> devices;
  std::vector<MeasuredCurve> curves;
};

/// Reads the files that "calibration" names (a name or a list of them, relative to the file that names them;
/// `resolve` does that). Throws Error, at the place of the name for a file of another kind.
Calibration read_calibration(const Json& json, std::string (*resolve)(const Json&));

}  // namespace rackcast

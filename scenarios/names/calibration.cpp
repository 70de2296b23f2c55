#include "scenarios/names/calibration.hpp"

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_files = 32;

MeasuredCurve read_curve(const Json& collective, const Json& name) {
  ObjectReader in{collective};
  if (in.string("operation") != "all_reduce")
    in.require("operation").fail("only all-reduce curves refine the model of collectives");
  MeasuredCurve curve;
  curve.file = name.string();
  curve.gpus = static_cast<int>(in.integer("gpus", 2, 65536));
  curve.nodes = static_cast<int>(in.integer("nodes", 1, 65536));
  curve.gpu = in.string_or("gpu", "");
  in.string_or("gpu_name", "");
  for (const Json& point : in.require("points").array()) {
    ObjectReader row{point};
    const Bytes size = row.quantity<Bytes>("size");
    curve.points.push_back({size, row.quantity<Duration>("time")});
    row.finish();
  }
  in.finish();
  if (curve.points.size() < 4) in.require("points").fail("a curve needs at least four sizes");
  if (curve.gpus % curve.nodes != 0) in.require("nodes").fail("the GPUs do not split evenly over the nodes");
  return curve;
}

void read_file(const Json& name, std::string (*resolve)(const Json&), Calibration& out) {
  const Json document = parse_json_file(resolve(name));
  const Json* format = document.kind() == JsonKind::object ? document.find("format") : nullptr;
  const std::string kind = format && format->kind() == JsonKind::string ? format->string() : "";
  if (kind == "rackcast-device") {
    out.devices.push_back(document);
    if (const Json* curves = document.find("collectives"))
      for (const Json& curve : curves->array()) out.curves.push_back(read_curve(curve, name));
  } else if (kind == "rackcast-import") {
    const Json* curve = document.find("collective");
    if (!curve) name.fail("this import holds no measured collective", "import the output of all_reduce_perf");
    out.curves.push_back(read_curve(*curve, name));
  } else if (kind == "rackcast-box") {
    name.fail("a box holds samples, not a model",
              "fit it first: rackcast calibrate fit box.json -o device.json");
  } else {
    name.fail("this file is not a calibration",
              "expected what `rackcast calibrate fit box.json` or `rackcast import nccl-tests` wrote");
  }
}

}  // namespace

Calibration read_calibration(const Json& json, std::string (*resolve)(const Json&)) {
  Calibration out;
  if (json.kind() == JsonKind::string) {
    read_file(json, resolve, out);
    return out;
  }
  if (json.array().size() > most_files) json.fail("more than 32 files");
  for (const Json& name : json.array()) read_file(name, resolve, out);
  return out;
}

}  // namespace rackcast

#include "scenarios/evidence/evidence_document.hpp"

#include <nlohmann/json.hpp>

#include "scenarios/evidence/evidence.hpp"
#include "topologies/plain_name.hpp"

namespace rackcast {
namespace {

using Document = nlohmann::ordered_json;

Document figure(const PredictedFigure& f, const std::string& unit) {
  return {{"value", f.value}, {"low", f.low}, {"high", f.high}, {"unit", unit}};
}

Document document(const EvidenceTally& t) {
  return {{"rows", t.rows}, {"cases", t.cases}, {"covered", t.covered}, {"median_error", t.median_error}};
}

Document document(const NearRun& near) {
  const ValidatedRun& run = near.run;
  const TrainingTraits& t = run.traits;
  return {{"id", run.id},
          {"system", near.system},
          {"model", t.model},
          {"framework", t.framework},
          {"framework_title", plain_name(t.framework)},
          {"framework_version", run.framework_version},
          {"precision", t.precision},
          {"batch_per_gpu", run.batch_per_gpu > 0 ? Document(run.batch_per_gpu) : Document(nullptr)},
          {"data", run.data},
          {"gpus", t.gpus},
          {"distance", near.distance},
          {"same", near.same},
          {"differs", near.other},
          {"metric", run.metric},
          {"measured", run.measured},
          {"predicted", figure(run.predicted, run.unit)},
          {"speed_ratio", figure(run.speed_ratio(), "1")},
          {"system_assumed", run.assumed},
          {"like", run.like},
          {"covered", run.covered},
          {"source", run.source}};
}

}  // namespace

Document evidence_document(const Evidence& evidence) {
  Document out = {{"all", document(evidence.all)},
                  {"same_architecture", document(evidence.same_architecture)},
                  {"same_gpu", document(evidence.same_gpu)}};
  out["nearest"] = Document::array();
  for (const NearRun& near : evidence.nearest) out["nearest"].push_back(document(near));
  return out;
}

}  // namespace rackcast

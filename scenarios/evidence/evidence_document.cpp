#include "scenarios/evidence/evidence_document.hpp"

#include "scenarios/evidence/evidence.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {
namespace {

doc::Prediction figure(const PredictedFigure& f, const std::string& unit) {
  return {f.value, f.low, f.high, unit};
}

doc::Evidence::Tally tally(const EvidenceTally& t) {
  return {t.rows, t.cases, t.covered, t.median_error};
}

doc::Evidence::Run run_document(const NearRun& near) {
  const ValidatedRun& run = near.run;
  const TrainingTraits& t = run.traits;
  doc::Evidence::Run out;
  out.id = run.id;
  out.system = near.system;
  out.model = t.model;
  out.framework_key = t.framework;
  out.framework = plain_name(t.framework);
  out.framework_version = run.framework_version;
  out.precision = t.precision;
  if (run.batch_per_gpu > 0) out.batch_per_gpu = run.batch_per_gpu;
  out.data = run.data;
  out.gpus = t.gpus;
  out.distance = near.distance;
  out.same = near.same;
  out.differs = near.other;
  out.metric = run.metric;
  out.measured = run.measured;
  out.predicted = figure(run.predicted, run.unit);
  out.speed_ratio = figure(run.speed_ratio(), "1");
  out.system_assumed = run.assumed;
  out.like = run.like;
  out.covered = run.covered;
  out.source = run.source;
  return out;
}

}  // namespace

doc::Evidence evidence_document(const Evidence& evidence) {
  doc::Evidence out{tally(evidence.all), tally(evidence.same_architecture), tally(evidence.same_gpu), {}};
  for (const NearRun& near : evidence.nearest) out.nearest.push_back(run_document(near));
  return out;
}

}  // namespace rackcast

/// Figures of storage: what training reads, and what a checkpoint weighs.
#include "models/data_path/checkpoint.hpp"
#include "scenarios/validation/input_of_case.hpp"
#include "scenarios/validation/predictor.hpp"
#include "scenarios/validation/workload_of_case.hpp"

namespace rackcast {

/// Images per second of the same run, times the bytes of an image, times the share that caches do not hold.
PredictedFigure predict_storage_read(PredictionContext& context, const ValidationCase& stated) {
  ValidationCase images = with_fitting_batch(context, stated);
  images.metric = "images_per_s";
  images.unit = "images/s";
  const PredictionOutcome rate = predict_case(context, images);
  if (!rate.figure) throw Unpredictable{rate.skipped_reason};
  double mega = number_in(stated.workload.extra, "bytes_per_image").value_or(imagenet_image.base()) / 1e6;
  if (stated.system.node) {
    const Cluster& cluster = context.cluster(images);
    mega *= share_of_storage(stated, cluster.node, cluster.used_nodes(), cluster.local_ranks());
  }
  return {rate.figure->value * mega, rate.figure->low * mega, rate.figure->high * mega};
}

/// State of all parameters; transformers are trained with Adam. Measured sizes spread by a few per cent
/// (padding, metadata): 0.05.
PredictedFigure predict_checkpoint(PredictionContext& context, const ValidationCase& c) {
  if (c.workload.model.empty()) throw Unpredictable{"network not stated"};
  const Workload& workload = context.workload(c);
  const Json* transformer = &c.workload.transformer;
  const bool adam = transformer->kind() == JsonKind::object;
  if (!c.workload.precision) throw Unpredictable{"precision not stated"};
  Precision precision{};
  try {
    precision = parse_precision(*c.workload.precision);
  } catch (const std::exception&) {
    throw Unpredictable{"precision not known"};
  }
  const Bytes size =
      checkpoint_bytes(workload.parameters(), precision, adam ? Optimizer::adam : Optimizer::momentum);
  return figure_of(size.base(), 0.05);
}

}  // namespace rackcast

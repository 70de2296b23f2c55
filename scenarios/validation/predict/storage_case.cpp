/// Figures of storage: what training reads, and what a checkpoint weighs.
#include <algorithm>
#include <cmath>

#include "models/data_path/checkpoint.hpp"
#include "models/data_path/emulated_training.hpp"
#include "models/data_path/input_path.hpp"
#include "models/data_path/storage.hpp"
#include "scenarios/validation/cases/input_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

/// Images per second of the same run, times the bytes of an image, times the share that caches do not hold.
PredictedFigure predict_storage_read(PredictionContext& context, const ValidationCase& stated) {
  ValidationCase images = with_fitting_batch(context, stated);
  images.metric = "images_per_s";
  images.unit = "images/s";
  const PredictedFigure rate = predict_by_rule(context, images);
  double mega = number_in(stated.workload.extra, "bytes_per_image").value_or(imagenet_image.base()) / 1e6;
  if (stated.system.node) {
    const Cluster& cluster = context.cluster(images);
    mega *= share_of_storage(stated, cluster.node, cluster.used_nodes(), cluster.local_ranks());
  }
  return scaled(rate, mega);
}

namespace {

/// The drives that a case states, as many as work side by side.
StorageSystem drives_of(const Catalog& catalog, const ValidationCase& c) {
  const auto drive = text_in(c.workload.extra, "drive");
  const auto count = number_in(c.workload.extra, "drives");
  if (!drive || !count || !(*count >= 1) || *count > 1e4)
    throw Unpredictable{"storage: the drives or servers are not stated"};
  const StorageFacts facts = storage_facts(catalog, *drive);
  StorageSystem out;
  out.name = facts.name;
  out.kind = StorageKind::local;
  out.count = static_cast<int>(*count);
  out.read = facts.read;
  out.write = facts.write;
  return out;
}

/// The catalogue's rates are recollection.
double drive_log_sigma() {
  return input_path_facts().storage_log_sigma;
}

}  // namespace

PredictedFigure predict_drive_rate(PredictionContext& context, const ValidationCase& c) {
  const StorageSystem drives = drives_of(context.catalog(), c);
  // Small blocks are bound by how many of them are asked for at once.
  const std::string block = text_in(c.workload.extra, "block").value_or("");
  if (block != "1M" && block != "512k") throw Unpredictable{"storage: requests in flight not stated"};
  const bool write = text_in(c.workload.extra, "op").value_or("").ends_with("write");
  const Bandwidth rate = write ? write_rate(drives, 1) : drives.count * drives.read;
  return figure_of(rate.base() / 1e9, drive_log_sigma());
}

PredictedFigure predict_utilisation(PredictionContext& context, const ValidationCase& c) {
  const auto accelerator = text_in(c.workload.extra, "emulated_accelerator");
  const auto count = number_in(c.workload.extra, "accelerators");
  if (!accelerator || !count) throw Unpredictable{"emulated accelerators not stated"};
  EmulatedWorkload work = emulated_workload(c.workload.model, *accelerator);
  work.job.accelerators = *count;
  StorageSystem drives = drives_of(context.catalog(), c);
  ReadLoad load;
  load.layout = {RecordFormat::tfrecord, work.sample, 1000};
  const double value = accelerator_utilisation(work.job, drives, load);
  const auto with = [&](double factor) {
    StorageSystem other = drives;
    other.read *= factor;
    return accelerator_utilisation(work.job, other, load);
  };
  // Nobody is busier than always; repetitions of a run differ by a per cent.
  const double reach = std::exp(half_of_90_percent * drive_log_sigma()), repeat = 0.02;
  return {value, std::min(with(1 / reach), value * (1 - repeat)),
          std::max(with(reach), value * (1 + repeat))};
}

/// State of all parameters; transformers are trained with Adam. Measured sizes spread by a few per cent
/// (padding, metadata): 0.05.
PredictedFigure predict_checkpoint(PredictionContext& context, const ValidationCase& c) {
  if (c.workload.model.empty()) throw Unpredictable{"network not stated"};
  const Workload& workload = context.workload(c);
  const Json* transformer = &c.workload.transformer;
  const bool adam = transformer->kind() == JsonKind::object;
  if (!c.workload.precision) throw Unpredictable{"precision not stated", "precision"};
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

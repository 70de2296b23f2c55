#include "scenarios/format/workload_choice.hpp"

#include "scenarios/format/scenario.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

Workload network_of(const WorkloadSpec& spec) {
  Workload published = load_workload(spec.model);
  if (!spec.image && !spec.tokens) return published;
  WorkloadOptions options;
  options.image = spec.image;
  options.seq_len = spec.tokens;
  try {
    return load_workload(spec.model, options);
  } catch (const Error& e) {
    throw Error{published.title + ": " + e.message(), spec.sample_where, "leave \"sample\" out"};
  }
}

FrameworkQuery software_of(const WorkloadSpec& spec, const GpuSpec& gpu) {
  FrameworkQuery out;
  out.name = spec.framework;
  out.version = version_on(spec.framework, spec.framework_version, gpu.line.first_container);
  out.script = spec.framework_script;
  out.cudnn = spec.cudnn;
  return out;
}

}  // namespace rackcast

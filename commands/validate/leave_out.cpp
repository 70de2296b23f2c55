#include "commands/validate/leave_out.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/fit/calibrate_fit.hpp"
#include "calibrate/tables/data_files.hpp"
#include "commands/calibrate/repeated_fits.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/provenance.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

/// The cases of tests/validation/cases, and the curves of calibrate/data that are cases of no other use.
CasesById fitted_cases(std::span<const ValidationCase> known) {
  CasesById out;
  for (const ValidationCase& c : known) out.emplace(c.id, c);
  for (const DataFile& file : shipped_data_files()) {
    if (!file.name.starts_with("collectives/") || !file.name.ends_with(".json")) continue;
    for (ValidationCase& c : parse_cases(file.text, file.path)) out.emplace(c.id, std::move(c));
  }
  return out;
}

std::shared_ptr<const GpuModelLibrary> kernels_without(const std::vector<std::string>& folders) {
  std::vector<DataFile> files = shipped_data_files();
  std::erase_if(files, [&](const DataFile& file) {
    return std::ranges::any_of(
        folders, [&](const std::string& folder) { return file.name.starts_with(folder + "/"); });
  });
  const auto texts = fitted_parameter_files(files);
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) names.push_back("gpu_models/" + name);
  std::vector<EmbeddedFile> embedded;
  for (std::size_t i = 0; i < texts.size(); ++i) embedded.push_back({names[i], texts[i].second});
  return std::make_shared<const GpuModelLibrary>(embedded);
}

class Refits {
 public:
  Refits(const Catalog& catalog, std::span<const ValidationCase> known)
      : catalog_{catalog}, cases_{fitted_cases(known)} {}

  /// Nothing for a source that entered no fit.
  std::optional<FittedConstants> without(const std::string& source, std::span<const ValidationCase> asked) {
    FittedConstants out;
    std::vector<std::string> folders = data_of_source(source);
    std::erase_if(folders, [](const std::string& data) { return data.starts_with("collectives/"); });
    if (!folders.empty()) out.kernels = kernels(folders);
    if (const auto tasks = links_without(source); !tasks.empty())
      out.links = parse_json(refit_links(catalog_, cases_, tasks).text, "links.json");
    for (const std::string& id : server_fit_cases())
      if (const auto found = cases_.find(id); found != cases_.end() && found->second.source == source)
        out.unseen_servers.insert(server_name_of(found->second));
    const bool others_changed = out.kernels || out.links;
    refit_profiles(source, others_changed ? profiles_asked(source, asked) : std::set<std::string>{}, out);
    if (!others_changed && out.unseen_servers.empty() && out.profiles.empty()) return std::nullopt;
    return out;
  }

 private:
  /// The links whose fit the source entered, without its points.
  std::vector<LinkTask> links_without(const std::string& source) {
    std::vector<LinkTask> out = link_tasks(cases_, source);
    const std::vector<LinkTask> all = link_tasks(cases_);
    std::erase_if(out, [&](const LinkTask& task) {
      return task.cases == std::ranges::find(all, task.link, &LinkTask::link)->cases;
    });
    return out;
  }

  /// Sources of the same people share a fit.
  std::shared_ptr<const GpuModelLibrary> kernels(const std::vector<std::string>& folders) {
    std::shared_ptr<const GpuModelLibrary>& known = kernels_[folders];
    if (!known) known = kernels_without(folders);
    return known;
  }

  std::set<std::string> profiles_asked(const std::string& source,
                                       std::span<const ValidationCase> asked) const {
    const PredictionContext context{catalog_};
    std::set<std::string> out;
    for (const ValidationCase& c : asked)
      if (c.source == source && c.unreadable.empty()) out.insert(context.profile(c).id);
    return out;
  }

  void refit_profiles(const std::string& source, const std::set<std::string>& asked, FittedConstants& out) {
    const std::vector<ProfileTask> all = profile_tasks(cases_), tasks = profile_tasks(cases_, source);
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (tasks[i].cases.size() < all[i].cases.size() || asked.contains(all[i].profile.id))
        changed.push_back(i);
    if (changed.empty()) return;
    if (samples_.empty()) samples_ = sample_profiles(catalog_, cases_, all);
    std::vector<ProfileTask> again;
    for (const std::size_t i : changed) again.push_back(tasks[i]);
    std::vector<ProfileSample> fresh = sample_profiles(catalog_, cases_, again, out), samples = samples_;
    for (std::size_t i = 0; i < changed.size(); ++i) samples[changed[i]] = std::move(fresh[i]);
    for (ProfileFit& fit : draw_together(samples).profiles) out.profiles.push_back(std::move(fit.profile));
  }

  const Catalog& catalog_;
  CasesById cases_;
  std::map<std::vector<std::string>, std::shared_ptr<const GpuModelLibrary>> kernels_;
  std::vector<ProfileSample> samples_;  ///< of all profiles with all their cases
};

}  // namespace

std::map<std::string, FittedConstants> constants_without_sources(
    const Catalog& catalog, std::span<const ValidationCase> known, std::span<const ValidationCase> asked,
    const std::function<void(std::size_t done, std::size_t all)>& on_source) {
  std::set<std::string> sources;
  for (const ValidationCase& c : asked) sources.insert(c.source);
  Refits refits{catalog, known};
  std::map<std::string, FittedConstants> out;
  std::size_t done = 0;
  for (const std::string& source : sources) {
    if (auto constants = refits.without(source, asked)) out.emplace(source, std::move(*constants));
    on_source(++done, sources.size());
  }
  return out;
}

}  // namespace rackcast

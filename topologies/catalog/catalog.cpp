#include "topologies/catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "topologies/catalog/catalog_check.hpp"
#include "topologies/catalog/catalog_entry.hpp"
#include "topologies/catalog/catalog_file.hpp"

namespace rackcast {

std::span<const EmbeddedFile> topology_data();  // written by rackcast_embed

namespace {

/// An entry that may not have been parsed yet.
struct Slot {
  std::string_view text;  ///< of a built-in file
  std::optional<CatalogEntry> entry;
};
using Slots = std::map<std::string, Slot, std::less<>>;

struct FileName {
  std::string kind, id;
};

/// "gpus/p100_sxm2.json" -> {"gpus", "p100_sxm2"}; nothing for other files, such as a README.
std::optional<FileName> parse_file_name(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0 || !name.ends_with(".json")) return std::nullopt;
  const std::string_view id = name.substr(slash + 1, name.size() - slash - 1 - 5);
  if (id.empty() || id.find('/') != std::string_view::npos) return std::nullopt;
  return FileName{std::string{name.substr(0, slash)}, std::string{id}};
}

/// The overlay's files relative to `dir`, sorted so that the outcome does not depend on the file system.
std::vector<std::string> overlay_files(const std::string& dir) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  try {
    if (!fs::is_directory(dir)) throw Error{"the catalogue folder is not a folder", Where{dir, 0, 0, "", ""}};
    for (const auto& item : fs::recursive_directory_iterator(dir)) {
      if (item.path().extension() != ".json" || item.is_directory()) continue;
      if (!item.is_regular_file()) {
        throw Error{"an entry of the catalogue must be a file, and this is not a file or a link to nothing",
                    Where{item.path().string(), 0, 0, "", ""}};
      }
      out.push_back(item.path().lexically_relative(dir).generic_string());
    }
  } catch (const fs::filesystem_error& e) {
    throw Error{fmt::format("the catalogue folder cannot be read: {}", e.code().message()),
                Where{dir, 0, 0, "", ""}};
  }
  std::ranges::sort(out);
  return out;
}

/// What an import document calls an entry of this kind; empty if it holds none.
std::string_view member_of(std::string_view kind) {
  if (kind == "nodes") return "node";
  return kind == "storage" ? "storage" : "";
}

/// The entry within an import document; the whole of another.
Json entry_of_document(std::string_view kind, const Json& json) {
  if (json.kind() != JsonKind::object || !json.find("format")) return json;
  const Json& format = json.require("format");
  if (format.string() != "rackcast-import")
    format.fail("this document is neither an import nor a catalogue entry",
                "`rackcast import FILE -o part.json` writes one");
  if (const Json& version = json.require("version"); version.integer() != 1)
    version.fail("this build reads version 1 of the format");
  const std::string_view member = member_of(kind);
  if (const Json* found = member.empty() ? nullptr : json.find(member)) return *found;
  json.require("kind").fail(
      fmt::format("an import of this kind holds nothing for \"{}\" of the catalogue", kind),
      kind == "nodes" ? "nvidia-smi-topo, nvidia-smi-xml, nccl-topo-xml and lstopo hold a node" : "");
}

}  // namespace

bool is_catalog_file(std::string_view name) {
  return name.ends_with(".json");
}

struct Catalog::Impl {
  std::map<std::string, Slots, std::less<>> kinds;
  std::map<std::pair<std::string, std::string>, CatalogEntry> files;  ///< by kind and path
  std::vector<FileName> laid_over;                                    ///< of the user's folder
  mutable std::mutex mutex;

  const CatalogEntry& entry(const std::string& kind, const std::string& id, Slot& slot) const {
    if (!slot.entry) {
      const std::string file = kind + "/" + id + ".json";
      slot.entry = make_catalog_entry(kind, id, file, parse_json(std::string{slot.text}, file));
    }
    return *slot.entry;
  }

  /// The entry in a file of the user's own: an imported document or a file in the catalogue's form.
  const CatalogEntry& file_entry(std::string_view kind, std::string_view path) {
    const std::pair<std::string, std::string> key{kind, path};
    if (const auto it = files.find(key); it != files.end()) return it->second;
    const std::string id = std::filesystem::path{key.second}.stem().string();
    const Json document = parse_json_file(key.second);
    const bool imported = document.kind() == JsonKind::object && document.find("format");
    if (!imported) check_catalog_document(kind, id, document);
    CatalogEntry entry = make_catalog_entry(key.first, id, key.second, entry_of_document(kind, document));
    return files.emplace(key, std::move(entry)).first->second;
  }

  Slots& slots(std::string_view kind) {
    const auto it = kinds.find(kind);
    if (it != kinds.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [name, unused] : kinds) known.push_back(name);
    throw Error{fmt::format("the catalogue has no kind \"{}\"", kind),
                {},
                fmt::format("kinds: {}", fmt::join(known, ", "))};
  }

  /// For a file that lies in no folder of the catalogue, or too deep in one.
  [[noreturn]] void fail_misplaced(const std::string& dir, const std::string& path) const {
    namespace fs = std::filesystem;
    const std::string_view kind = kind_of_document(parse_json_file(path));
    std::vector<std::string> known;
    for (const auto& [name, unused] : kinds) known.push_back(name);
    const std::string hint =
        kind.empty()
            ? fmt::format("move it to {}/KIND/{}, where KIND is one of: {}", dir,
                          fs::path{path}.filename().string(), fmt::join(known, ", "))
            : fmt::format("move it to {}", (fs::path{dir} / kind / fs::path{path}.filename()).string());
    throw Error{"a catalogue file must lie in a folder named after its kind", Where{path, 0, 0, "", ""},
                hint};
  }

  void lay_over(const std::string& dir) {
    for (const std::string& relative : overlay_files(dir)) {
      const std::string path = (std::filesystem::path{dir} / relative).string();
      const auto name = parse_file_name(relative);
      if (!name) fail_misplaced(dir, path);
      Slot& slot = slots(name->kind)[name->id];
      const Json json = parse_json_file(path);
      check_catalog_document(name->kind, name->id, json);
      slot.entry = make_catalog_entry(name->kind, name->id, path, json);
      laid_over.push_back(*name);
    }
  }

  [[noreturn]] void fail_unknown(std::string_view kind, std::string_view name,
                                 const std::vector<std::string>& partial) {
    std::vector<std::string> known;
    for (auto& [id, slot] : slots(kind)) known.push_back(id);
    if (!partial.empty()) {
      throw Error{fmt::format("\"{}\" does not name one entry of {}", name, kind),
                  {},
                  fmt::format("say which: {}", fmt::join(partial, ", "))};
    }
    const auto near = near_matches(name, known);
    throw Error{fmt::format("the catalogue has no entry \"{}\" in {}", name, kind),
                {},
                near.empty() ? fmt::format("\"rackcast catalog list {}\" shows all {}", kind, known.size())
                             : fmt::format("near matches: {}", fmt::join(near, ", "))};
  }
};

Catalog::Catalog(std::span<const EmbeddedFile> files, const std::string& overlay_dir)
    : impl_(std::make_unique<Impl>()) {
  for (const EmbeddedFile& file : files) {
    if (const auto name = parse_file_name(file.name)) impl_->kinds[name->kind][name->id].text = file.text;
  }
  if (overlay_dir.empty()) return;
  impl_->lay_over(overlay_dir);
  for (const FileName& name : impl_->laid_over) read_catalog_entry(*this, name.kind, name.id);
}

Catalog Catalog::builtin(const std::string& overlay_dir) {
  return Catalog{topology_data(), overlay_dir};
}

Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

std::vector<std::string> Catalog::kinds() const {
  std::vector<std::string> out;
  for (const auto& [kind, unused] : impl_->kinds) out.push_back(kind);
  return out;
}

std::vector<std::string> Catalog::ids(std::string_view kind) const {
  std::vector<std::string> out;
  for (const auto& [id, unused] : impl_->slots(kind)) out.push_back(id);
  return out;
}

const CatalogEntry& Catalog::find(std::string_view kind, std::string_view name) const {
  const std::lock_guard lock{impl_->mutex};
  Slots& slots = impl_->slots(kind);
  if (is_catalog_file(name)) return impl_->file_entry(kind, name);
  const std::string kind_name{kind};
  if (const auto it = slots.find(name); it != slots.end())
    return impl_->entry(kind_name, it->first, it->second);

  const std::string wanted = normalised(name);
  std::vector<const CatalogEntry*> same;
  std::vector<std::string> partial;
  for (auto& [id, slot] : slots) {
    const CatalogEntry& entry = impl_->entry(kind_name, id, slot);
    std::vector<std::string> names{normalised(id), normalised(entry.name)};
    for (const std::string& alias : entry.aliases) names.push_back(normalised(alias));
    if (std::ranges::find(names, wanted) != names.end()) same.push_back(&entry);
    const auto has = [&](const std::string& text) {
      return text.find(wanted) != std::string::npos;
    };
    if (!wanted.empty() && std::ranges::any_of(names, has)) partial.push_back(id);
  }
  if (same.size() == 1) return *same.front();
  impl_->fail_unknown(kind, name, partial);
}

namespace {

/// What of the entry matches, or nothing.
std::optional<std::string> match(const CatalogEntry& entry, std::string_view needle) {
  const auto in = [&](std::string_view text) {
    return contains_ignoring_case(text, needle);
  };
  if (in(entry.id)) return "id";
  if (in(entry.name)) return "name";
  if (std::ranges::any_of(entry.aliases, in)) return "alias";
  for (const auto& [key, value] : entry.attributes) {
    if (in(key) || in(value)) return key;
  }
  for (const Fact& fact : entry.facts) {
    if (in(fact.key()) || (fact.value().kind() == JsonKind::string && in(fact.text())) || in(fact.note())) {
      return "fact " + fact.key();
    }
  }
  for (const Fact& fact : entry.facts) {
    if (in(fact.source())) return "source of " + fact.key();
  }
  return std::nullopt;
}

}  // namespace

std::vector<SearchHit> Catalog::search(std::string_view text) const {
  const std::lock_guard lock{impl_->mutex};
  std::string needle{text};
  std::ranges::transform(needle, needle.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::vector<SearchHit> hits;
  for (auto& [kind, slots] : impl_->kinds) {
    for (auto& [id, slot] : slots) {
      const CatalogEntry& entry = impl_->entry(kind, id, slot);
      if (const auto where = match(entry, needle)) hits.push_back({kind, id, entry.name, *where});
    }
  }
  return hits;
}

}  // namespace rackcast

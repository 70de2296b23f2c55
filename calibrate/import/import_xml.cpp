#include "calibrate/import/import_xml.hpp"

#include <fmt/format.h>

#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr int deepest = 64;
constexpr std::size_t most_elements = 1'000'000;

/// Walks without recursion: the depth of a hostile file is not ours to trust.
void check_shape(const ImportXml& xml, const pugi::xml_node& root) {
  int depth = 1;
  std::size_t elements = 0;
  for (pugi::xml_node at = root; at;) {
    if (++elements > most_elements) xml.fail(at, fmt::format("more than {} elements", most_elements));
    if (pugi::xml_node child = at.first_child()) {
      if (++depth > deepest) xml.fail(child, fmt::format("elements nest deeper than {}", deepest));
      at = child;
      continue;
    }
    while (at && at != root && !at.next_sibling()) {
      at = at.parent();
      --depth;
    }
    at = at == root ? pugi::xml_node{} : at.next_sibling();
  }
}

}  // namespace

ImportXml::ImportXml(const ImportSource& source) : source_{source} {
  const std::string_view text = source.text();
  const pugi::xml_parse_result result =
      document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    source_.fail(at, fmt::format("this is not well-formed XML: {}", result.description()),
                 at >= text.size() ? "the file seems to be cut off; write it again" : "");
  }
  root_ = document_.document_element();
  check_shape(*this, root_);
}

void ImportXml::fail(const pugi::xml_node& node, const std::string& message, const std::string& hint) const {
  const std::ptrdiff_t at = node.offset_debug();
  source_.fail(at < 0 ? std::size_t{0} : static_cast<std::size_t>(at), message, hint);
}

double ImportXml::number(const pugi::xml_node& node, const char* attribute, double low, double high,
                         double fallback) const {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) return fallback;
  const std::optional<double> value = to_number(trimmed(found.value()));
  if (!value || !(*value >= low && *value <= high)) {
    fail(node,
         fmt::format("{} of <{}> is {}, but must be a number between {:g} and {:g}", in_quotes(attribute),
                     product_name(node.name()), in_quotes(found.value()), low, high));
  }
  return *value;
}

std::string_view ImportXml::text(const pugi::xml_node& node, const char* child) {
  const std::string_view found = trimmed(node.child(child).text().get());
  return found == "N/A" || found == "[N/A]" || found == "[Not Supported]" ? std::string_view{} : found;
}

}  // namespace rackcast

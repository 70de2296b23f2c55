#pragma once
/// XML by pugixml, bounded: size, depth and count of elements are limited before anything walks the tree, no
/// entity but the five of XML is expanded, and no other file is ever opened.
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "calibrate/import/import_source.hpp"

namespace rackcast {

class ImportXml {
 public:
  /// Throws Error with line and column on anything that is not well-formed, deeper than 64 elements, or
  /// larger than a million of them. `source` must outlive the document.
  explicit ImportXml(const ImportSource& source);

  [[nodiscard]] const pugi::xml_node& root() const { return root_; }
  /// Throws Error at an element.
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& message,
                         const std::string& hint = {}) const;
  /// An attribute as a number in [low, high]; `fallback` where it is absent; Error otherwise.
  [[nodiscard]] double number(const pugi::xml_node& node, const char* attribute, double low, double high,
                              double fallback) const;
  /// Text of the child element, trimmed; empty where there is none or it says that it is not known ("N/A").
  [[nodiscard]] static std::string_view text(const pugi::xml_node& node, const char* child);

 private:
  const ImportSource& source_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace rackcast

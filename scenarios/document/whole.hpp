#pragma once
/// Whole documents, doc::Result, doc::Campaign and doc::Comparison: text, reading, JSON schema, reference
/// page.
#include <string>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

/// The document as indented JSON; the same document gives the same bytes.
template <class Document>
std::string document_text(const Document& document);

/// Throws Error, pointing at the place, if the JSON is no document of this format, of another version, or if
/// a part is missing or of the wrong type.
template <class Document>
Document read_document(const Json& json);

/// The JSON schema (draft-07).
template <class Document>
std::string document_schema();

/// The reference page: every key with its type, unit and meaning, as Markdown.
template <class Document>
std::string document_reference();

}  // namespace rackcast::doc

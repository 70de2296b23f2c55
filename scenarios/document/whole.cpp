#include "scenarios/document/whole.hpp"

#include <fmt/format.h>

#include "scenarios/document/fields/campaign.hpp"
#include "scenarios/document/fields/comparison.hpp"
#include "scenarios/document/fields/result.hpp"
#include "scenarios/document/form/read.hpp"
#include "scenarios/document/form/schema.hpp"
#include "scenarios/document/form/write.hpp"

namespace rackcast::doc {
namespace {

/// "result" of "rackcast-result".
std::string_view kind_of(std::string_view format) {
  return format.substr(format.find('-') + 1);
}

void check_head(const Json& json, std::string_view format, std::int64_t version) {
  const std::string_view what = kind_of(format);
  const Json* found = json.kind() == JsonKind::object ? json.find("format") : nullptr;
  if (!found || found->kind() != JsonKind::string || found->string() != format) {
    (found ? *found : json)
        .fail(fmt::format("this is not a rackcast {}", what),
              fmt::format("a {} starts with \"format\": \"{}\"", what, format));
  }
  const Json& written = json.require("version");
  if (written.integer() != version) {
    written.fail(
        fmt::format("a {} of version {}; this program reads version {}", what, written.integer(), version),
        fmt::format("write the {} again with this program", what));
  }
}

template <class Document>
Definitions definitions_of() {
  Definitions out;
  out.add<Document>();
  return out;
}

}  // namespace

template <class Document>
std::string document_text(const Document& document) {
  return write(document).dump(1) + "\n";
}

template <class Document>
Document read_document(const Json& json) {
  check_head(json, Document::format_name, Document::current_version);
  return read<Document>(json);
}

template <class Document>
std::string document_schema() {
  const std::string title =
      fmt::format("rackcast {}, version {}", kind_of(Document::format_name), Document::current_version);
  return definitions_of<Document>().schema(title).dump(2) + "\n";
}

template <class Document>
std::string document_reference() {
  return definitions_of<Document>().reference();
}

template std::string document_text(const Result& document);
template Result read_document(const Json& json);
template std::string document_schema<Result>();
template std::string document_reference<Result>();

template std::string document_text(const Campaign& document);
template Campaign read_document(const Json& json);
template std::string document_schema<Campaign>();
template std::string document_reference<Campaign>();

template std::string document_text(const Comparison& document);
template Comparison read_document(const Json& json);
template std::string document_schema<Comparison>();
template std::string document_reference<Comparison>();

}  // namespace rackcast::doc

#pragma once
/// Validates JSON against a schema with another program than ours.
#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/base/atomic_file.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {

/// Empty if the text is valid, else what the validator says: Python's jsonschema, which shares no code with
/// us.
inline std::string schema_faults(std::string_view schema_text, const std::string& text) {
  const TemporaryFolder folder;
  const std::string schema = folder / "schema.json", document = folder / "document.json";
  write_file_atomically(schema, schema_text);
  write_file_atomically(document,
                        nlohmann::json::parse(text, nullptr, true, /*ignore_comments=*/true).dump());
  const std::string command = "\"" RACKCAST_PYTHON "\" \"" RACKCAST_SOURCE_DIR
                              "/tests/schema_faults.py\" \"" +
                              schema + "\" \"" + document + "\" 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  const int status = pclose(pipe);
  INFO(command, " printed: ", out);
  REQUIRE_MESSAGE(status == 0, "the schema tests need Debian's python3-jsonschema");
  return out;
}

}  // namespace rackcast

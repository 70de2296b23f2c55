/// `rackcast import`: what was measured or listed already, as a document for scenarios and fits.
#include "calibrate/import/import.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>

#include "commands/commands.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/utf8.hpp"
#include "sim/base/version.hpp"

namespace rackcast {
namespace {

struct ImportFlags {
  std::vector<std::string> names;  ///< [KIND] FILE
  std::string output;
  std::vector<std::string> sizes;  ///< NAME=N
};

std::map<std::string, std::int64_t> sizes_of(const std::vector<std::string>& given) {
  constexpr std::int64_t most = 10'000'000;
  std::map<std::string, std::int64_t> out;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    std::int64_t size = 0;
    const char* end = one.data() + one.size();
    const bool number = equals != std::string::npos && equals > 0 &&
                        std::from_chars(one.data() + equals + 1, end, size).ptr == end && size > 0 &&
                        size <= most;
    if (!number || !out.emplace(one.substr(0, equals), size).second)
      throw Error{fmt::format("--size {} gives no number to a name", in_quotes(one)),
                  {},
                  "write each name once: --size sequence_length=128, from 1 to 10000000",
                  ErrorKind::usage};
  }
  return out;
}

void run_import(const Arguments& args, const ImportFlags& flags) {
  ImportRequest request;
  request.path = flags.names.back();
  if (flags.names.size() == 2) request.kind = flags.names.front();
  request.program = std::string{version()};
  request.sizes = sizes_of(flags.sizes);
  const ImportResult result =
      import_text(open_catalog(args), request, read_file(request.path, most_import_bytes(request)));
  if (flags.output.empty()) {
    print(result.text);
    return;
  }
  write_file_atomically(flags.output, result.text);
  std::string text = fmt::format("{}: {}\n", result.kind, result.summary);
  for (const std::string& warning : result.warnings) text += "warning: " + warning + "\n";
  print(text + fmt::format("Wrote {}\n", flags.output));
}

}  // namespace

void add_import(CLI::App& app, Arguments& args) {
  CLI::App* import =
      app.add_subcommand("import", "Read measurements, topologies, networks and trainings of other tools");
  const auto flags = std::make_shared<ImportFlags>();
  std::string kinds;
  for (const ImportKindInfo& kind : import_kinds())
    kinds += fmt::format("\n  {:16} {}", kind.name, kind.help);
  import->add_option("file", flags->names, "[KIND] FILE; the kind is told from the content if it is left out")
      ->required()
      ->expected(1, 2);
  import
      ->add_option("--size", flags->sizes,
                   "NAME=N (repeatable): a number for a side that an ONNX model leaves open")
      ->allow_extra_args(false);
  import->add_option("-o,--output", flags->output, "Document to write (JSON); default: standard output");
  import->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  import->footer("Kinds:" + kinds);
  import->callback([&args, flags] { run_import(args, *flags);
});
}  // namespace rackcast

}  // namespace rackcast

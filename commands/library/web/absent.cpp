// What a build for WebAssembly lacks the libraries for: one thread does everything, and what it cannot read
// or write it refuses.
#include "commands/print_pdf.hpp"
#include "models/recorded/chakra_file.hpp"
#include "reports/writers/xlsx_writer.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {
namespace {

[[noreturn]] void refuse(const char* what, const char* hint) {
  throw Error{what, {}, hint, ErrorKind::usage};
}

}  // namespace

int available_threads() {
  return 1;
}

void in_parallel(std::size_t count, int /*threads*/,
                 const std::function<void(std::size_t item, std::size_t slot)>& body) {
  for (std::size_t item = 0; item < count; ++item) body(item, 0);
}

RecordedStep read_chakra(const std::vector<std::string>& /*files*/,
                         std::map<std::string, std::vector<int>> /*groups*/, std::optional<int> /*ranks*/) {
  refuse("the planner in WebAssembly reads no Chakra traces", "the rackcast program does");
}

std::vector<std::pair<std::string, std::string>> chakra_files(const RecordedStep& /*step*/) {
  refuse("the planner in WebAssembly writes no Chakra traces", "the rackcast program does");
}

std::string print_pdf(const std::string& /*html*/) {
  refuse("the planner in WebAssembly prints no PDF", "write .html, which a browser prints");
}

namespace reports {

void write_xlsx(const Report& /*report*/, const std::string& /*path*/) {
  refuse("the planner in WebAssembly writes no workbook",
         "write .csv, or let the rackcast program write .xlsx");
}

}  // namespace reports
}  // namespace rackcast

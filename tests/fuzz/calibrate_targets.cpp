#include "calibrate/box/box_fit.hpp"
#include "calibrate/box/box_review.hpp"
#include "calibrate/import/import.hpp"
#include "calibrate/measure/box.hpp"
#include "calibrate/tables/kernel_data.hpp"
#include "sim/json/reader.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {

/// What `rackcast calibrate check`, `diff` and the first half of `fit` do.
void read_measured_box(const std::string& bytes) {
  const Box box = read_box(bytes, "fuzzed.json");
  promise(read_box(box_text(box), "again") == box, "a box that is written reads back the same");
  (void)check_box(box);
  (void)compare_boxes(box, box);
  std::vector<std::string> warnings;
  (void)box_kernels(box, {}, warnings);
}

/// What `rackcast calibrate fit --data` reads: the shipped tables, with this one in the place of its like.
void read_kernel_table(const std::string& bytes) {
  const std::string head = bytes.substr(0, bytes.find('\n'));
  static const std::vector<DataFile> shipped = shipped_data_files();
  static constexpr std::string_view read[] = {"gemm",      "conv",   "rnn",    "vector",  "attention",
                                              "bandwidth", "linear", "decode", "experts", "batched_tiles"};
  std::vector<DataFile> files;
  std::string name;
  for (const DataFile& file : shipped) {
    const bool same_header = file.text.substr(0, file.text.find('\n')) == head;
    if (file.name == "devices.csv" || file.name == "sources.csv") {
      files.push_back(file);
      if (same_header) files.back().text = bytes;
    } else if (same_header && name.empty()) {
      name = file.name;
    }
  }
  if (name.empty())
    name = std::string{"deepbench/"} + std::string{read[head.size() % std::size(read)]} + ".csv";
  files.push_back({name, name, bytes});
  (void)load_kernel_data(files);
}

void read_import(std::string_view kind, const std::string& bytes) {
  const ImportResult result =
      import_text(builtin_catalog(), {.kind = std::string{kind}, .path = "fuzzed", .program = "t"}, bytes);
  (void)parse_json(result.text, "import");
}

void read_any_import(const std::string& bytes) {
  read_import("", bytes);
}

}  // namespace rackcast::fuzz

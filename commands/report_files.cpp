#include "commands/report_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "commands/planner_link.hpp"
#include "commands/print_pdf.hpp"
#include "commands/scratch_folder.hpp"
#include "reports/pages/report.hpp"
#include "reports/writers/csv_writer.hpp"
#include "reports/writers/xlsx_writer.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"

namespace rackcast {

namespace {

namespace fs = std::filesystem;

struct OutputFile {
  std::string path, bytes;
};
using OutputFiles = std::vector<OutputFile>;

OutputFiles csv_files(const std::string& path, const reports::Report& report) {
  const fs::path whole(path);
  OutputFiles files;
  for (auto& file : reports::write_csv(report)) {
    const std::string name = fmt::format("{}-{}.csv", whole.stem().string(), file.name);
    files.push_back({(whole.parent_path() / name).string(), std::move(file.text)});
  }
  return files;
}

std::string workbook(const std::string& path, const reports::Report& report) {
  const ScratchFolder folder;
  const std::string made = folder.file("report.xlsx");
  try {
    reports::write_xlsx(report, made);
    return read_file(made);
  } catch (const Error& e) {
    throw Error{e.message(), Where{.file = path},
                fmt::format("it is made in \"{}\" first: is there space?", made), e.kind()};
  }
}

struct Target {
  const std::string &path, &planner;
};

struct Format {
  const char* ending;
  OutputFiles (*make)(const Target& to, const reports::Report& report, const std::string& json);
};

using reports::Report;
using std::string;
constexpr Format kFormats[] = {
    {".html",
     [](const Target& to, const Report& r, const string&) {
       return OutputFiles{{to.path, write_html(r, planner_link(to.planner, to.path))}};
     }},
    {".pdf",
     [](const Target& to, const Report& r, const string&) {
       return OutputFiles{{to.path, print_pdf(write_printable_html(r))}};
     }},
    {".md",
     [](const Target& to, const Report& r, const string&) {
       return OutputFiles{{to.path, write_markdown(r)}};
     }},
    {".txt",
     [](const Target& to, const Report& r, const string&) {
       return OutputFiles{{to.path, write_text(r)}};
     }},
    {".csv",
     [](const Target& to, const Report& r, const string&) {
       return csv_files(to.path, r);
     }},
    {".xlsx",
     [](const Target& to, const Report& r, const string&) {
       return OutputFiles{{to.path, workbook(to.path, r)}};
     }},
    {".json",
     [](const Target& to, const Report&, const string& json) {
       return OutputFiles{{to.path, json}};
     }},
};

const Format& format_of(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  for (const Format& format : kFormats) {
    if (ending == format.ending) return format;
  }
  throw Error{fmt::format("cannot tell the format of \"{}\"", path),
              {},
              "use .html, .pdf, .md, .txt, .csv, .xlsx or .json",
              ErrorKind::usage};
}

}  // namespace

void make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code || !std::filesystem::is_directory(path, code)) {
    throw Error{"cannot create the folder \"" + path + "\"" + (code ? ": " + code.message() : ""),
                Where{.file = path}, "is there a file of that name, or may you not write there?"};
  }
}

void check_endings(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) (void)format_of(path);
  for (const std::string& path : paths) check_writable(path);
}

std::vector<std::string> write_report_files(const std::vector<std::string>& paths,
                                            const reports::Report& report, const std::string& json,
                                            const HtmlExtras& extras) {
  OutputFiles files;
  for (const std::string& path : paths) {
    if (!extras.page.empty() && fs::path(path).extension() == ".html") {
      files.push_back({path, extras.page});
      continue;
    }
    for (OutputFile& file : format_of(path).make({path, extras.planner}, report, json))
      files.push_back(std::move(file));
  }
  std::vector<std::string> written;
  for (const OutputFile& file : files) {
    write_file_atomically(file.path, file.bytes);
    written.push_back(file.path);
  }
  return written;
}

}  // namespace rackcast

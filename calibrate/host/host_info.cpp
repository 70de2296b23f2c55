#include "calibrate/host/host_info.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace rackcast {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

/// The value after the colon of a line of /proc/cpuinfo or /proc/meminfo, if its key is `key`.
std::string value_of(const std::string& line, std::string_view key) {
  const std::size_t colon = line.find(':');
  if (!line.starts_with(key) || colon == std::string::npos) return {};
  const std::size_t end_of_key = line.find_last_not_of(" \t", colon - 1);
  if (end_of_key + 1 != key.size()) return {};
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? std::string{} : line.substr(begin);
}

double leading_number(const std::string& text) {
  std::istringstream in{text};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  return in ? value : 0;
}

void read_cpus(const fs::path& file, BoxHost& host) {
  std::ifstream in{file};
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  std::string socket = "0";
  for (std::string line; std::getline(in, line);) {
    if (!value_of(line, "processor").empty()) ++host.threads;
    if (host.cpu_model.empty()) host.cpu_model = value_of(line, "model name");
    if (const std::string id = value_of(line, "physical id"); !id.empty()) sockets.insert(socket = id);
    if (const std::string id = value_of(line, "core id"); !id.empty()) cores.insert({socket, id});
  }
  host.sockets = static_cast<int>(sockets.size());
  host.cores = static_cast<int>(cores.size());
}

int count_nodes(const fs::path& folder) {
  int nodes = 0;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos &&
        name.size() > 4)
      ++nodes;
  }
  return nodes;
}

double mean_clock(const fs::path& file) {
  std::ifstream in{file};
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    if (const double mhz = leading_number(value_of(line, "cpu MHz")); mhz > 0) {
      sum += mhz;
      ++count;
    }
  }
  return count ? sum / count : 0;
}

int allowed_threads(int known) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return known;
  return CPU_COUNT(&set);
}

}  // namespace

BoxHost read_host_info(const std::string& root) {
  const fs::path base{root};
  BoxHost host;
  read_cpus(base / "proc/cpuinfo", host);
  if (root == "/") host.threads = allowed_threads(host.threads);
  std::ifstream memory{base / "proc/meminfo"};
  for (std::string line; std::getline(memory, line);)
    if (const std::string total = value_of(line, "MemTotal"); !total.empty())
      host.memory = Bytes{leading_number(total) * 1024};
  host.governor = first_line(base / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  host.numa_nodes = count_nodes(base / "sys/devices/system/node");
  utsname names{};
  if (uname(&names) == 0) host.architecture = names.machine;
  return host;
}

Conditions cpu_conditions(const std::string& root) {
  Conditions c;
  const fs::path base{root};
  // "0.20 0.18 0.12 1/80 11206": means over 1, 5 and 15 minutes; running/all processes
  if (const std::string line = first_line(base / "proc/loadavg"); !line.empty()) {
    BoxHost host;
    read_cpus(base / "proc/cpuinfo", host);
    const std::size_t slash = line.find('/');
    const std::size_t space = line.rfind(' ', slash);
    if (slash != std::string::npos && space != std::string::npos && host.threads > 0) {
      const double running = leading_number(line.substr(space + 1)) - 1;  // one of them is us
      c.load = std::max(0.0, running) / host.threads;
    }
  }
  if (const double mhz = mean_clock(base / "proc/cpuinfo"); mhz > 0) c.clock_mhz = mhz;
  return c;
}

Bytes last_level_cache(const std::string& root) {
  double most = 0;
  for (int i = 0; i < 6; ++i) {
    const std::string size =
        first_line(fs::path{root} / fmt::format("sys/devices/system/cpu/cpu0/cache/index{}/size", i));
    const double unit = size.ends_with("M") ? 1048576 : 1024;  // "32768K"
    most = std::max(most, leading_number(size) * unit);
  }
  return Bytes{most > 0 ? most : 32.0 * 1048576};
}

}  // namespace rackcast

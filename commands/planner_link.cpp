#include "commands/planner_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/base/version.hpp"

namespace rackcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view https = "https://";

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

bool stands_in(char c, std::string_view letters) {
  return letters.find(c) != std::string_view::npos;
}

/// RFC 3986, 3.1: "javascript:", "data:", "file:", "http:", ...
bool has_scheme(std::string_view address) {
  const auto end = std::ranges::find_if_not(
      address, [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || stands_in(c, "+-."); });
  return end != address.end() && *end == ':' && end != address.begin() && is_ascii_letter(address.front());
}

[[noreturn]] void refuse_address(const std::string& given, const char* hint) {
  throw Error{fmt::format("\"{}\" is no address of the planner's page", given), {}, hint};
}

void check_https(const std::string& given) {
  const std::string_view rest = std::string_view{given}.substr(https.size());
  const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
  const bool is_written = std::ranges::all_of(rest, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || stands_in(c, "-._~:/?[]!$&'()*+,;=%@");
  });
  const bool is_host = !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || stands_in(c, "-.:[]");
  });
  if (!is_written || !is_host)
    refuse_address(given, "write it as https://HOST/rackcast.html, without a user, \"#\" and spaces");
}

/// What the page says in its first lines.
bool is_planner_file(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  std::string head(std::size_t{1} << 16, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head.find(fmt::format("<meta name=\"generator\" content=\"rackcast {}\">", version())) !=
         std::string::npos;
}

/// Every letter that could mean something in an address is encoded, ":" among them.
std::string address_of(const fs::path& path) {
  std::string out;
  for (const char c : path.generic_string())
    out += is_ascii_letter(c) || is_ascii_digit(c) || stands_in(c, "-._~/")
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

std::string planner_link(const std::string& given, const std::string& report) {
  // Browsers take ".." out of an address by its letters, whatever links there are on the disk.
  const fs::path page = fs::absolute(report).lexically_normal(), folder = page.parent_path();
  if (given.empty()) {
    const fs::path beside = folder / "rackcast.html";
    return beside != page && is_planner_file(beside) ? "rackcast.html" : "";
  }
  if (given.starts_with(https)) {
    check_https(given);
    return given;
  }
  if (has_scheme(given)) refuse_address(given, "give the path of rackcast.html, or an address with https://");
  const fs::path file = fs::absolute(given).lexically_normal();
  if (!is_planner_file(file))
    refuse_address(
        given,
        "there is no rackcast.html of this version; `./dev web` builds build/wasm/package/rackcast.html");
  if (file == page) refuse_address(given, "the report would be written over it: choose another name");
  return address_of(file.lexically_relative(folder));
}

}  // namespace rackcast

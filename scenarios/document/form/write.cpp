#include "scenarios/document/form/write.hpp"

#include <fmt/format.h>

#include "sim/json/plain_json.hpp"

namespace rackcast::doc {

std::string word_of(std::string_view words, std::size_t place) {
  for (; place > 0; --place) words.remove_prefix(words.find(' ') + 1);
  return std::string{words.substr(0, words.find(' '))};
}

void put(Written& object, std::string_view path, Written value) {
  if (path.empty()) {
    object.update(value);
    return;
  }
  Written* place = &object;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    place = &(*place)[std::string{path.substr(0, dot)}];
    path.remove_prefix(dot + 1);
  }
  (*place)[std::string{path}] = std::move(value);
}

Any any_of(Written value) {
  return {std::make_shared<const Written>(std::move(value))};
}

std::string text_of(const Any& any, int indent) {
  if (!any.value || any.value->is_null()) return {};
  if (any.value->is_string()) return any.value->get<std::string>();
  if (any.value->is_number()) return fmt::format("{}", any.value->get<double>());  // 1, not 1.0
  return any.value->dump(indent);
}

Written Custom<Any>::write(const Any& any) {
  return any.value ? *any.value : Written(nullptr);
}

Any Custom<Any>::read(const Json& json) {
  return any_of(plain_json(json));
}

Written Custom<Any>::schema() {
  return Written::object();
}

}  // namespace rackcast::doc

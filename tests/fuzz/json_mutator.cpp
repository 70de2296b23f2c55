#include "tests/fuzz/json_mutator.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace rackcast::fuzz {
namespace {

using Tree = nlohmann::ordered_json;

constexpr std::size_t most_bytes = 256u << 10;
constexpr int most_depth = 100;  ///< writing and copying a tree is recursive

/// A value of the tree and the name of the member that it is, or of the nearest around it.
struct Place {
  Tree* value;
  std::string key;
};

bool collect(Tree& tree, const std::string& key, int depth, std::vector<Place>& out) {
  if (depth > most_depth) return false;
  out.push_back({&tree, key});
  if (tree.is_array())
    for (Tree& one : tree)
      if (!collect(one, key, depth + 1, out)) return false;
  if (tree.is_object())
    for (auto it = tree.begin(); it != tree.end(); ++it)
      if (!collect(it.value(), it.key(), depth + 1, out)) return false;
  return true;
}

std::optional<Tree> parsed(const std::string& text) {
  if (text.size() > most_bytes) return std::nullopt;
  Tree tree = Tree::parse(text, nullptr, false, true);
  if (tree.is_discarded()) return std::nullopt;
  return tree;
}

std::string written(const Tree& tree) {
  return tree.dump(1, ' ', false, Tree::error_handler_t::replace);
}

template <class List>
const auto& one_of(const List& list, std::minstd_rand& random) {
  return list[random() % std::size(list)];
}

constexpr std::array<std::string_view, 24> odd_numbers{"0",
                                                       "-0",
                                                       "1",
                                                       "-1",
                                                       "2",
                                                       "1e308",
                                                       "-1e308",
                                                       "1e-308",
                                                       "5e-324",
                                                       "0.5",
                                                       "1e18",
                                                       "1e9",
                                                       "65536",
                                                       "1000000",
                                                       "2147483647",
                                                       "2147483648",
                                                       "-2147483648",
                                                       "4294967296",
                                                       "9007199254740993",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551615",
                                                       "0.1",
                                                       "1e15"};

Tree odd_value(std::minstd_rand& random) {
  switch (random() % 9) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return "";
    case 3:
      return Tree::array();
    case 4:
      return Tree::object();
    case 5:
      return std::string(1 + random() % 300, 'x');
    default:
      return Tree::parse(one_of(odd_numbers, random));
  }
}

/// "104 TB" with another number; the unit stays.
std::string odd_quantity(const std::string& text, std::minstd_rand& random) {
  const std::size_t end = text.find_first_not_of("0123456789.eE+-");
  if (end == 0) return text;
  return std::string{one_of(odd_numbers, random)} + (end == std::string::npos ? "" : text.substr(end));
}

void mutate_container(Tree& tree, const std::vector<Place>& places, std::minstd_rand& random) {
  const std::size_t size = tree.size(), at = size == 0 ? 0 : random() % size;
  const auto it = std::next(tree.begin(), static_cast<std::ptrdiff_t>(at));
  Tree other = *one_of(places, random).value;  // a copy: the place may be this tree or lie in it
  if (tree.is_array()) {
    if (size == 0 || random() % 4 == 0) {
      tree.push_back(std::move(other));
    } else if (random() % 2 == 0) {
      tree.erase(it);
    } else {
      const Tree again = *it;
      for (std::size_t i = 0, more = 1 + random() % 12; i < more; ++i) tree.push_back(again);
    }
    return;
  }
  const std::string& name = one_of(places, random).key;
  if (size == 0 || random() % 3 == 0) {
    tree[name] = std::move(other);
  } else if (random() % 3 == 0) {
    const Tree moved = *it;
    tree.erase(it.key());
    tree[name] = moved;
  } else {
    tree.erase(it.key());
  }
}

void mutate_value(Tree& tree, const std::vector<Place>& places, std::minstd_rand& random,
                  const std::function<std::string(std::string)>& bytes) {
  const auto kind = random() % 10;
  if (kind == 1) {
    const Tree other = *one_of(places, random).value;
    tree = other;
  } else if (kind != 0 && tree.is_structured()) {
    mutate_container(tree, places, random);
  } else if (kind != 0 && tree.is_number()) {
    tree = kind < 5 ? Tree(tree.get<double>() * (kind == 2   ? 0.1
                                                 : kind == 3 ? 10
                                                             : -1))
                    : Tree::parse(one_of(odd_numbers, random));
  } else if (kind != 0 && tree.is_string()) {
    const std::string text = tree.get<std::string>();
    tree = kind < 6 ? odd_quantity(text, random) : bytes(text);
  } else {
    tree = odd_value(random);
  }
}

}  // namespace

std::optional<std::string> mutate_json(const std::string& text, std::minstd_rand& random,
                                       const std::function<std::string(std::string)>& bytes) {
  auto tree = parsed(text);
  if (!tree) return std::nullopt;
  for (std::size_t i = 0, count = 1 + random() % 3; i < count; ++i) {
    std::vector<Place> places;
    if (!collect(*tree, "name", 0, places)) return std::nullopt;
    // Most of a tree's places are its leaves, deep inside; what decides stands further up.
    const std::size_t among = random() % 2 == 0 ? places.size() : std::min<std::size_t>(places.size(), 40);
    mutate_value(*places[random() % among].value, places, random, bytes);
  }
  return written(*tree);
}

std::optional<std::string> cross_json(const std::string& a, const std::string& b, std::minstd_rand& random) {
  auto to = parsed(a), from = parsed(b);
  std::vector<Place> places, others;
  if (!to || !from || !collect(*to, "", 0, places) || !collect(*from, "", 0, others)) return std::nullopt;
  const Place& other = one_of(others, random);
  std::vector<Tree*> same;
  for (const Place& place : places)
    if (place.key == other.key) same.push_back(place.value);
  const Tree value = *other.value;
  *(same.empty() ? one_of(places, random).value : one_of(same, random)) = value;
  return written(*to);
}

}  // namespace rackcast::fuzz

#include "calibrate/import/onnx/onnx_patterns.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace rackcast {
namespace {

/// Operators between two that belong together; exporters write fewer.
constexpr int longest_path = 10;
/// Operators that are looked at for one group; a file may be made to have more.
constexpr int most_looks = 300;

class PatternFinder {
 public:
  explicit PatternFinder(OnnxGraph& graph) : graph_{graph} {
    for (const auto& [name, constant] : graph.constants) constants_.insert(name);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const OnnxNode& node = graph.nodes[i];
      for (const std::string& output : node.outputs) writers_[output] = i;
      bool constant = node.kind != "Shape";
      for (const std::string& input : node.inputs) {
        if (!input.empty()) readers_[input].push_back(i);
        constant = constant && (input.empty() || constants_.contains(input));
      }
      if (constant) constants_.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  void find() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string kind = graph_.nodes[i].kind;
      if (kind == "Softmax") find_attention(i);
      if (kind == "Div" || kind == "Mul") find_norm(i);
      if (kind == "Erf" || kind == "Tanh") find_gelu(i);
      if (kind == "Mul") find_swish(i);
    }
    drop_unread();
  }

 private:
  using Path = std::vector<std::size_t>;

  [[nodiscard]] bool is_constant(const std::string& name) const {
    return name.empty() || constants_.contains(name);
  }
  /// The operator that writes a value, behind casts; nothing for inputs and constants.
  [[nodiscard]] std::optional<std::size_t> writer(std::string name) const {
    for (int i = 0; i < longest_path; ++i) {
      const auto at = writers_.find(name);
      if (at == writers_.end()) return std::nullopt;
      const OnnxNode& node = graph_.nodes[at->second];
      if ((node.kind != "Cast" && node.kind != "Identity") || node.inputs.empty()) return at->second;
      name = node.inputs.front();
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> writer(const std::string& name, std::string_view kind) const {
    const auto at = writer(name);
    return at && graph_.nodes[*at].kind == kind && !graph_.nodes[*at].inputs.empty() ? at : std::nullopt;
  }
  [[nodiscard]] const std::string& input(std::size_t node, std::size_t i) const {
    static const std::string none;
    const OnnxNode& of = graph_.nodes[node];
    return i < of.inputs.size() ? of.inputs[i] : none;
  }
  /// The value that an operator of two inputs joins with a constant.
  [[nodiscard]] std::string beside_constant(std::size_t node) const {
    if (graph_.nodes[node].inputs.size() != 2) return {};
    const bool first = is_constant(input(node, 0));
    return first == is_constant(input(node, 1)) ? std::string{} : input(node, first ? 1 : 0);
  }

  void replace(std::size_t node, const char* kind, std::vector<std::string> inputs, const Path& retired) {
    OnnxNode& at = graph_.nodes[node];
    at.kind = kind;
    at.inputs = std::move(inputs);
    at.attributes.clear();
    retired_.insert(retired.begin(), retired.end());
  }

  void set_number(std::size_t node, const char* attribute, std::int64_t number) {
    graph_.nodes[node].attributes[attribute].number = number;
  }

  // Attention.

  /// Back from a softmax to the product of two values. `path`: operators on the way; `added`: what else they
  /// read.
  bool scores_of(const std::string& name, Path& path, std::vector<std::string>& added, int steps) {
    if (++looks_ > most_looks) return false;
    static constexpr std::string_view between[] = {"Add", "Sub", "Mul",     "Div",  "Where",   "Cast",
                                                   "Max", "Min", "Reshape", "Clip", "Identity"};
    const auto at = writers_.find(name);
    if (at == writers_.end() || steps == 0) return false;
    const OnnxNode& node = graph_.nodes[at->second];
    if (node.kind == "MatMul" && node.inputs.size() == 2) {
      path.push_back(at->second);
      return !is_constant(node.inputs[0]) && !is_constant(node.inputs[1]);
    }
    if (std::ranges::count(between, node.kind) == 0) return false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::size_t length = path.size(), others = added.size();
      if (node.inputs[i].empty() || (node.kind == "Reshape" && i > 0)) continue;
      if (scores_of(node.inputs[i], path, added, steps - 1)) {
        path.push_back(at->second);
        for (std::size_t j = 0; j < node.inputs.size(); ++j)
          if (j != i && node.kind == "Add") added.push_back(node.inputs[j]);
        return true;
      }
      path.resize(length);
      added.resize(others);
    }
    return false;
  }

  /// From a softmax to the product with the values.
  std::optional<std::size_t> mixed_by(std::string name, Path& path, bool& dropout) const {
    for (int steps = 0; steps < 5; ++steps) {
      const auto at = readers_.find(name);
      if (at == readers_.end()) return std::nullopt;
      std::optional<std::size_t> next;
      for (const std::size_t reader : at->second) {
        const OnnxNode& node = graph_.nodes[reader];
        if (node.kind == "MatMul" && node.inputs.size() == 2 && node.inputs[0] == name &&
            !is_constant(node.inputs[1]))
          return reader;
        if (node.kind == "Dropout" || node.kind == "Cast" || node.kind == "Where" || node.kind == "Identity")
          next = reader;
      }
      if (!next) return std::nullopt;
      dropout = dropout || graph_.nodes[*next].kind == "Dropout";
      path.push_back(*next);
      name = graph_.nodes[*next].outputs.front();
    }
    return std::nullopt;
  }

  void find_attention(std::size_t softmax) {
    Path path{softmax};
    std::vector<std::string> added;
    bool dropout = false;
    looks_ = 0;
    if (!scores_of(input(softmax, 0), path, added, longest_path)) return;
    const auto mix = mixed_by(graph_.nodes[softmax].outputs.front(), path, dropout);
    if (!mix) return;
    const auto product =
        std::ranges::find_if(path, [&](std::size_t i) { return graph_.nodes[i].kind == "MatMul"; });
    std::vector<std::string> inputs{input(*product, 0), input(*product, 1), input(*mix, 1)};
    inputs.insert(inputs.end(), added.begin(), added.end());
    replace(*mix, "rackcast.DotAttention", std::move(inputs), path);
    scores_.insert(path.begin(), path.end());
    set_number(*mix, "transposed_keys", 1);
    if (dropout) set_number(*mix, "dropout", 1);
  }

  // Norms.

  [[nodiscard]] OnnxDims axes_of(std::size_t reduce) const {
    OnnxDims out = graph_.nodes[reduce].numbers("axes");
    OnnxNumbers numbers;
    if (const auto at = graph_.constants.find(input(reduce, 1)); at != graph_.constants.end())
      numbers = at->second.numbers;
    if (const auto at = writer(input(reduce, 1)); at && graph_.nodes[*at].kind == "Constant") {
      const auto& said = graph_.nodes[*at].attributes;
      if (const auto value = said.find("value"); value != said.end() && value->second.tensor)
        numbers = value->second.tensor->numbers;
    }
    if (numbers)
      for (const double n : *numbers)
        if (n > -100 && n < 100) out.push_back(static_cast<std::int64_t>(n));
    return out.empty() ? OnnxDims{-1} : out;
  }

  /// sqrt(mean of y^2 + c): y, and the mean.
  struct Deviation {
    std::string of;
    std::size_t mean = 0;
    Path path;
  };
  [[nodiscard]] std::optional<Deviation> deviation(const std::string& name) const {
    const auto root = writer(name, "Sqrt");
    const auto sum = root ? writer(input(*root, 0), "Add") : std::nullopt;
    const auto mean = sum ? writer(beside_constant(*sum), "ReduceMean") : std::nullopt;
    const auto square = mean ? writer(input(*mean, 0)) : std::nullopt;
    if (!square) return std::nullopt;
    const bool power = graph_.nodes[*square].kind == "Pow" && is_constant(input(*square, 1));
    const bool product = graph_.nodes[*square].kind == "Mul" && input(*square, 0) == input(*square, 1);
    if (!power && !product) return std::nullopt;
    return Deviation{input(*square, 0), *mean, {*root, *sum, *mean, *square}};
  }

  [[nodiscard]] bool same_value(const std::string& a, const std::string& b) const {
    if (a == b) return true;
    const auto first = writer(a), second = writer(b);
    return first && second &&
           (first == second || (graph_.nodes[*first].kind == "Sub" && graph_.nodes[*second].kind == "Sub" &&
                                graph_.nodes[*first].inputs == graph_.nodes[*second].inputs));
  }

  void find_norm(std::size_t node) {
    std::string over = input(node, 0), root = input(node, 1);
    Path path;
    if (graph_.nodes[node].kind == "Mul") {  // by one over the root
      auto inverse = writer(root);
      if (!inverse || (graph_.nodes[*inverse].kind != "Reciprocal" && graph_.nodes[*inverse].kind != "Div")) {
        std::swap(over, root);
        inverse = writer(root);
      }
      if (!inverse) return;
      const OnnxNode& one = graph_.nodes[*inverse];
      if (one.kind == "Div" ? !is_constant(input(*inverse, 0)) : one.kind != "Reciprocal") return;
      root = input(*inverse, one.kind == "Div" ? 1 : 0);
      path.push_back(*inverse);
    }
    const auto spread = deviation(root);
    if (!spread || !same_value(over, spread->of)) return;
    path.insert(path.end(), spread->path.begin(), spread->path.end());
    const OnnxDims axes = axes_of(spread->mean);
    const auto centered = writer(over, "Sub");
    const auto mean = centered ? writer(input(*centered, 1), "ReduceMean") : std::nullopt;
    std::string of = over;
    const bool full = mean && same_value(input(*mean, 0), input(*centered, 0));
    if (full) {
      of = input(*centered, 0);
      path.insert(path.end(), {*mean, *centered});
      if (const auto twin = writer(spread->of, "Sub")) path.push_back(*twin);
    }
    replace(node, full ? "rackcast.LayerNorm" : "rackcast.RMSNorm", {of}, path);
    graph_.nodes[node].attributes["axes"].numbers = axes;
  }

  // Activations.

  /// Whether everything behind `name` back to `of` is made of it and constants. `path`: the operators.
  bool made_of(const std::string& name, const std::string& of, Path& path, int steps) {
    if (++looks_ > most_looks) return false;
    if (name == of || is_constant(name)) return true;
    static constexpr std::string_view kinds[] = {"Add", "Sub", "Mul", "Div", "Pow", "Erf", "Tanh", "Cast"};
    const auto at = writers_.find(name);
    if (at == writers_.end() || steps == 0 || std::ranges::count(kinds, graph_.nodes[at->second].kind) == 0)
      return false;
    path.push_back(at->second);
    return std::ranges::all_of(graph_.nodes[at->second].inputs,
                               [&](const std::string& input) { return made_of(input, of, path, steps - 1); });
  }

  void find_gelu(std::size_t node) {
    std::vector<std::string> candidates;  // values before it, the nearest first
    std::string name = input(node, 0);
    for (int steps = 0; steps < longest_path && !is_constant(name); ++steps) {
      if (std::ranges::count(candidates, name) > 0) break;
      candidates.push_back(name);
      const auto at = writers_.find(name);
      if (at == writers_.end()) break;
      const auto& inputs = graph_.nodes[at->second].inputs;
      const auto next =
          std::ranges::find_if(inputs, [&](const std::string& one) { return !is_constant(one); });
      for (const std::string& other : inputs)
        if (!is_constant(other) && other != *next && candidates.size() < 40) candidates.push_back(other);
      if (next == inputs.end()) break;
      name = *next;
    }
    std::size_t end = node;
    std::optional<std::size_t> found;
    std::string from;
    Path path;
    for (int steps = 0; steps < 3; ++steps) {
      const auto at = readers_.find(graph_.nodes[end].outputs.front());
      if (at == readers_.end() || at->second.size() != 1) break;
      end = at->second.front();
      const std::string& kind = graph_.nodes[end].kind;
      if (kind != "Add" && kind != "Mul") break;
      if (kind == "Add") continue;
      looks_ = 0;
      for (const std::string& candidate : candidates) {
        Path all;
        const bool reads = input(end, 0) == candidate || input(end, 1) == candidate || steps > 0;
        if (!reads || !made_of(graph_.nodes[end].outputs.front(), candidate, all, longest_path)) continue;
        found = end;
        from = candidate;
        path = all;
        break;
      }
    }
    if (!found) return;
    std::erase(path, *found);
    replace(*found, "rackcast.Gelu", {from}, path);
  }

  void find_swish(std::size_t node) {
    for (const std::size_t side : {0u, 1u}) {
      const auto gate = writer(input(node, side), "Sigmoid");
      if (!gate || is_constant(input(node, 1 - side))) continue;
      std::string of = input(*gate, 0);
      Path path{*gate};
      if (of != input(node, 1 - side)) {
        const auto scaled = writer(of, "Mul");
        if (!scaled) continue;
        of = beside_constant(*scaled);
        path.push_back(*scaled);
      }
      if (of.empty() || of != input(node, 1 - side)) continue;
      replace(node, "rackcast.Swish", {of}, path);
      return;
    }
  }

  /// Of the operators that others stand for, those that nothing reads any more; the last first. Scores whose
  /// sides alone are read, for a mask, keep these.
  void drop_unread() {
    std::map<std::string, int, std::less<>> reads, looks;
    for (const OnnxNode& node : graph_.nodes)
      for (const std::string& input : node.inputs) ++(node.kind == "Shape" ? looks : reads)[input];
    const auto any = [](auto& of, const OnnxNode& node) {
      return std::ranges::any_of(node.outputs, [&](const std::string& output) { return of[output] > 0; });
    };
    std::set<std::size_t> gone;
    for (auto at = retired_.rbegin(); at != retired_.rend(); ++at) {
      OnnxNode& node = graph_.nodes[*at];
      const bool for_sides = any(looks, node);
      if (node.kind.starts_with("rackcast.") || any(reads, node) || (for_sides && !scores_.contains(*at)))
        continue;
      for (const std::string& input : node.inputs) --reads[input];
      if (!for_sides) {
        gone.insert(*at);
        continue;
      }
      if (node.kind == "MatMul")
        node.kind = "rackcast.ProductSides";
      else
        for (const std::string& input : node.inputs) ++looks[input];
    }
    std::vector<OnnxNode> left;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!gone.contains(i)) left.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(left);
  }

  OnnxGraph& graph_;
  std::set<std::string, std::less<>> constants_;
  std::map<std::string, std::size_t, std::less<>> writers_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> readers_;
  std::set<std::size_t> retired_;
  std::set<std::size_t> scores_;  ///< of them, those between queries and values
  int looks_ = 0;
};

}  // namespace

void find_onnx_patterns(OnnxGraph& graph) {
  PatternFinder{graph}.find();
}

}  // namespace rackcast

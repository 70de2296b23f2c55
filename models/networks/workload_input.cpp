#include <array>
#include <utility>

#include "models/networks/workload_reader.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

struct InputForm {
  std::string_view key;
  TensorShape::Kind kind;
  std::size_t numbers;
  double bytes;  ///< of one element as it crosses to the GPU
};

// Images and volumes travel as the 8-bit values they are stored in (a volume may say otherwise), tokens and
// ids as 32-bit integers, features as 32-bit floats.
constexpr std::array<InputForm, 6> input_forms{{{"image", TensorShape::Kind::image, 3, 1},
                                                {"volume", TensorShape::Kind::volume, 4, 1},
                                                {"tokens", TensorShape::Kind::tokens, 1, 4},
                                                {"frames", TensorShape::Kind::tokens, 2, 4},
                                                {"features", TensorShape::Kind::vector, 1, 4},
                                                {"ids", TensorShape::Kind::vector, 1, 4}}};

std::pair<const InputForm*, const Json*> find_form(ObjectReader& reader) {
  std::pair<const InputForm*, const Json*> found{nullptr, nullptr};
  std::string known;
  for (const InputForm& form : input_forms) {
    known += (known.empty() ? "\"" : ", \"") + std::string(form.key) + "\"";
    const Json* value = reader.find(form.key);
    if (!value) continue;
    if (found.first)
      reader.json().fail("an input has one form, not both \"" + std::string(found.first->key) + "\" and \"" +
                         std::string(form.key) + "\"");
    found = {&form, value};
  }
  if (!found.first) reader.json().fail("an input needs one of " + known, "write {\"image\": [224, 224, 3]}");
  return found;
}

TensorShape make_shape(TensorShape::Kind kind, const std::vector<std::int64_t>& n) {
  switch (kind) {
    case TensorShape::Kind::image:
      return TensorShape::image(n[0], n[1], n[2]);
    case TensorShape::Kind::volume:
      return TensorShape::volume(n[0], n[1], n[2], n[3]);
    case TensorShape::Kind::tokens:
      return TensorShape::tokens(n[0], n.size() > 1 ? n[1] : 1);
    case TensorShape::Kind::vector:
      break;
  }
  return TensorShape::vector(n[0]);
}

}  // namespace

Flow WorkloadReader::read_input(const Json& json, const Scope& scope) {
  constexpr std::int64_t largest = 10'000'000;
  ObjectReader reader{json};
  const auto [form, raw] = find_form(reader);
  const double bytes = reader.number_or("bytes_per_element", form->bytes, 0.125, 16);
  reader.finish();
  const Json& value = scope.resolve(*raw);
  std::vector<std::int64_t> numbers;
  if (form->numbers == 1) {
    numbers.push_back(checked_integer(value, form->key, 1, largest));
  } else {
    for (const Json& part : value.array()) {
      numbers.push_back(checked_integer(scope.resolve(part), form->key, 1, largest));
    }
    if (numbers.size() != form->numbers) {
      value.fail("\"" + std::string(form->key) + "\" needs " + std::to_string(form->numbers) +
                 " numbers, not " + std::to_string(numbers.size()));
    }
  }
  const bool first = workload_.input_bytes == Bytes{0};
  if (first && options_.image) {
    if (form->key != "image") json.fail("this workload does not read images; an image size cannot be set");
    numbers.assign(options_.image->begin(), options_.image->end());
  }
  const bool sequence = form->kind == TensorShape::Kind::tokens;
  if (first && options_.seq_len) {
    if (!sequence) json.fail("this workload does not read sequences; a sequence length cannot be set");
    numbers[0] = *options_.seq_len;
  }
  for (const std::int64_t n : numbers) {
    if (n < 1 || n > largest) json.fail("an input size must be from 1 to " + std::to_string(largest));
  }
  const TensorShape shape = make_shape(form->kind, numbers);
  if (shape.elements() > NetworkBuilder::max_elements)
    json.fail("an input of " + shape.text() + " is too large");
  workload_.input_bytes += Bytes{shape.elements() * bytes};
  if (first) {
    if (form->kind == TensorShape::Kind::image) {
      workload_.pixels = static_cast<double>(shape.height) * static_cast<double>(shape.width);
    }
    // Other inputs and position tables may follow the length of the first: "$tokens".
    if (sequence) file_scope_.bind("tokens", parse_json(std::to_string(numbers[0]), "length of the input"));
  }
  return {shape, Flow::network_input};
}

}  // namespace rackcast

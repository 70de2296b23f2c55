#include "models/networks/layers/kinds.hpp"

namespace rackcast {

std::span<const LayerKind> layer_kinds() {
  using namespace layers;
  static constexpr LayerKind table[] = {
      {"conv", "convolution: filters; kernel, stride, pad, dilation, groups, bias, dense", conv},
      {"widen",
       "convolution to a multiple of its channels: factor; kernel, stride, pad, dilation, bias, dense",
       widen},
      {"depthwise", "one filter per channel: kernel; stride, pad, multiplier, bias", depthwise},
      {"transposed_conv", "up-convolution: filters; kernel, stride, pad, output_pad, bias", transposed_conv},
      {"max_pool", "largest of a window: kernel; stride, pad, ceil", max_pool},
      {"avg_pool", "mean of a window: kernel; stride, pad, ceil", avg_pool},
      {"global_avg_pool", "mean of every channel", global_avg_pool},
      {"upsample", "repeat or interpolate: factor, or the name of a saved value of that size", upsample},
      {"crop", "cut to the size of a saved value: its name", crop},
      {"roi_align", "regions of a feature map: output side; regions per sample", roi_align},

      {"linear", "dense layer: outputs; bias, tied, sampled", linear},
      {"flatten", "image to vector", flatten},
      {"reshape", "the same elements as [features], [length, features] or [height, width, channels]",
       reshape},
      {"part", "some elements of a value, in a form as for reshape", part},
      {"softmax", "softmax over the channels, also as the loss", softmax},
      {"dropout", "dropout", dropout},
      {"batch_norm", "batch normalisation: scale, center", batch_norm},
      {"layer_norm", "normalisation over the features: scale, center", channel_norm},
      {"instance_norm", "normalisation of every channel of a sample", channel_norm},
      {"group_norm", "normalisation of groups of channels", channel_norm},
      {"rms_norm", "normalisation without mean and offset: scale", rms_norm},
      {"lrn", "local response normalisation across channels", lrn},
      {"relu", "max(0, x)", output_activation},
      {"relu6", "relu capped at 6", output_activation},
      {"leaky_relu", "relu with a slope below zero", output_activation},
      {"hard_tanh", "relu capped at 20 in Deep Speech", output_activation},
      {"sigmoid", "logistic function", output_activation},
      {"tanh", "hyperbolic tangent", output_activation},
      {"gelu", "Gaussian error linear unit", input_activation},
      {"swish", "x * sigmoid(x)", input_activation},
      {"hard_swish", "x * relu6(x + 3) / 6", input_activation},

      {"channel_scale", "each channel times a learned number", channel_scale},
      {"squeeze_excite",
       "channels scaled by a small network of their means: hidden width; of: 1 of 4 channels",
       squeeze_excite},
      {"last_channels", "only the last channels: how many", last_channels},
      {"chain", "layers applied in turn, their input and every result stacked: layers; times", chain},
      {"space_to_depth", "squares of pixels become channels: side", space_to_depth},
      {"window_attention", "attention within squares of an image, with its projections: heads; window, shift",
       window_attention},

      {"residual", "layers added to their input; \"projection\" on the shortcut where the shape changes",
       residual},
      {"add", "branches, added; vectors go to each position", add},
      {"multiply", "branches, multiplied; vectors behind a map scale its channels", multiply},
      {"concat", "branches, stacked along the channels; [] passes the input through", concat},
      {"group", "layers under one name, to repeat or share", group},
      {"heads", "branches that end in outputs; the input flows on", heads},
      {"auxiliary", "a branch with its own loss, used in training only", auxiliary},
      {"save", "keep the current value under a name", save},
      {"use", "go on from a saved value", use},
      {"each", "saved names, each sent through \"layers\"; \"shared_weights\", \"save_as\" new names", each},
      {"input", "another input of the network", input},

      {"embedding", "table look-up: width; vocab, tied", embedding},
      {"position_embedding", "a learned vector per position: rows (0: one per token)", position_embedding},
      {"class_token", "a learned token in front", class_token},
      {"take_token", "one token as a vector", take_token},
      {"attention",
       "multi-head attention with its projections: heads; kv_heads, head_dim, causal, memory, cached, "
       "relative",
       attention},
      {"dot_attention",
       "attention without its projections: heads; head_dim; keys and values (saved names; without them the "
       "input "
       "holds all three), kv_heads, v_head_dim, sequences, causal, biases, dropout",
       dot_attention},
      {"matmul", "product with a saved value: its name; sizes [count, rows, inner, columns]", matmul},
      {"experts", "mixture of experts with its router: experts; top_k, ffn, gated, bias", experts},
      {"additive_attention", "score by a small network: hidden; memory", additive_attention},
      {"rnn", "plain recurrent layer: hidden; bidirectional, sum, share_input, biases", rnn},
      {"gru", "GRU layer: hidden; bidirectional, sum, share_input, biases", gru},
      {"lstm", "LSTM layer: hidden; bidirectional, sum, share_input, projection, biases", lstm},
      {"pairs", "every token added to every token of a saved value: its name", pairs},
      {"rows_to_tokens", "image to a sequence of its rows", rows_to_tokens},
      {"patches_to_tokens", "image to a sequence of its positions", patches_to_tokens},
      {"embedding_tables",
       "look-ups of categorical features, added up per table: width; rows and lookups of each table, "
       "optimizer "
       "of the rows (sgd, adagrad)",
       embedding_tables},
      {"dot_interaction", "pairwise products of feature vectors: their width", dot_interaction},
  };
  return table;
}

}  // namespace rackcast

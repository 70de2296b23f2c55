#pragma once
/// The functions behind the table of layer kinds, by file.
#include "models/networks/layer_kinds.hpp"

namespace rackcast::layers {

// convolution.cpp
Flow conv(LayerContext&);
Flow widen(LayerContext&);
Flow depthwise(LayerContext&);
Flow transposed_conv(LayerContext&);
Flow max_pool(LayerContext&);
Flow avg_pool(LayerContext&);
Flow global_avg_pool(LayerContext&);
Flow upsample(LayerContext&);
Flow crop(LayerContext&);
Flow roi_align(LayerContext&);

// dense.cpp
Flow linear(LayerContext&);
Flow flatten(LayerContext&);
Flow reshape(LayerContext&);
Flow part(LayerContext&);
Flow softmax(LayerContext&);
Flow dropout(LayerContext&);
Flow batch_norm(LayerContext&);
Flow channel_norm(LayerContext&);
Flow rms_norm(LayerContext&);
Flow lrn(LayerContext&);
Flow output_activation(LayerContext&);
Flow input_activation(LayerContext&);

// products.cpp
Flow matmul(LayerContext&);
Flow dot_attention(LayerContext&);

// vision.cpp
Flow channel_scale(LayerContext&);
Flow squeeze_excite(LayerContext&);
Flow last_channels(LayerContext&);
Flow chain(LayerContext&);
Flow space_to_depth(LayerContext&);
Flow window_attention(LayerContext&);

// structure.cpp
Flow residual(LayerContext&);
Flow add(LayerContext&);
Flow multiply(LayerContext&);
Flow concat(LayerContext&);
Flow group(LayerContext&);
Flow heads(LayerContext&);
Flow auxiliary(LayerContext&);
Flow save(LayerContext&);
Flow use(LayerContext&);
Flow each(LayerContext&);
Flow input(LayerContext&);

// sequence.cpp
Flow embedding(LayerContext&);
Flow position_embedding(LayerContext&);
Flow class_token(LayerContext&);
Flow take_token(LayerContext&);
Flow attention(LayerContext&);
Flow experts(LayerContext&);
Flow additive_attention(LayerContext&);
Flow rnn(LayerContext&);
Flow gru(LayerContext&);
Flow lstm(LayerContext&);
Flow pairs(LayerContext&);
Flow rows_to_tokens(LayerContext&);
Flow patches_to_tokens(LayerContext&);
Flow embedding_tables(LayerContext&);
Flow dot_interaction(LayerContext&);

}  // namespace rackcast::layers

// The words by which people ask what rackcast knows (issue 23, item 32).
#include "scenarios/listings/catalog_words.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/listings/listing.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("issue 23, item 32: natural words are answered") {
  const Catalog catalog = Catalog::builtin();
  struct Word {
    const char *asked, *kind, *listed;
  };
  for (const Word& word : {Word{"networks", "models", "resnet50"},
                           {"workloads", "models", "resnet50"},
                           {"Neural Networks", "models", "resnet50"},
                           {"model", "models", "resnet50"},
                           {"gpu", "gpus", "h100_sxm5"},
                           {"GPUs", "gpus", "h100_sxm5"},
                           {"accelerators", "gpus", "h100_sxm5"},
                           {"node", "nodes", "dgx_h100"},
                           {"servers", "nodes", "dgx_h100"},
                           {"machines", "nodes", "dgx_h100"},
                           {"switch", "switches", "sb7800"},
                           {"link", "links", "nvlink"},
                           {"interconnects", "links", "nvlink"},
                           {"frameworks", "frameworks", "pytorch"},
                           {"software", "frameworks", "pytorch"},
                           {"facilities", "facility", "pue"},
                           {"racks", "facility", "racks"},
                           {"costs", "prices", "systems"},
                           {"disks", "storage", "nvme_gen4"},
                           {"precision", "precisions", "bf16"},
                           {"layers", "layers", "conv"},
                           {"fabric", "fabrics", "two_level"},
                           {"exchanges", "exchanges", "horovod"},
                           {"transports", "transports", "gloo"},
                           {"collectives", "collectives", "double_binary_tree"},
                           {"compression", "compressions", "dgc"},
                           {"architectures", "architectures", "hopper"},
                           {"supercomputers", "clusters", "ornl_summit"}}) {
    CAPTURE(word.asked);
    CHECK(kind_of_word(catalog, word.asked) == word.kind);
    CHECK(contains(list_catalog(catalog, word.asked), word.listed));
  }
}

TEST_CASE("issue 23, item 32: other words are suggested what is near, and the list names everything") {
  const Catalog catalog = Catalog::builtin();
  CHECK(contains(error_text([&] { (void)list_catalog(catalog, "swiches"); }), "did you mean \"switches\""));
  CHECK(contains(error_text([&] { (void)list_catalog(catalog, "qwxzj"); }), "rackcast catalog search qwxzj"));
  const std::string all = list_catalog(catalog, "");
  for (const std::string& kind : catalog.kinds()) CHECK(contains(all, kind));
  for (const SoftwareKind& kind : software_kinds()) CHECK(contains(all, kind.name));
  CHECK(contains(show_catalog(catalog, "server", "dgx_h100"), "DGX H100"));
  CHECK(contains(show_catalog(catalog, "network", "resnet50"), "ResNet"));
  CHECK(contains(error_text([&] { (void)show_catalog(catalog, "frameworks", "pytorch"); }),
                 "catalog list frameworks"));
}

#include "topologies/catalog/plain_name.hpp"

#include <doctest/doctest.h>

#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("keys of the catalogue have names that people use") {
  CHECK(plain_name("infiniband_4x/edr") == "InfiniBand EDR");
  CHECK(plain_name("ethernet/gbe100") == "100 GbE");
  CHECK(plain_name("nvlink/nvlink2 x2") == "NVLink 2 x2");
  CHECK(plain_name("pcie/gen4") == "PCIe 4.0");
  CHECK(plain_name("socket_links/qpi_broadwell") == "QPI Broadwell");
  CHECK(plain_name("tcp/gbe10") == "TCP over 10 GbE");
  CHECK(plain_name("us_virginia") == "US Virginia");
  CHECK(plain_name("on_demand") == "on demand");
  CHECK(plain_name("tensorflow_xla") == "TensorFlow XLA");
  CHECK(plain_name("midsize_water_chiller_airside_economizer") == "midsize water chiller airside economizer");
  CHECK(plain_name("my own grid") == "my own grid");
  CHECK(plain_name("").empty());
}

TEST_CASE("no link or region of the catalogue keeps an underscore") {
  const Catalog catalog = Catalog::builtin();
  for (const char* kind : {"links", "facility"}) {
    for (const std::string& id : catalog.ids(kind)) {
      for (const Fact& fact : catalog.find(kind, id).facts) {
        const std::string key = id + "/" + fact.key().substr(0, fact.key().find('/'));
        CAPTURE(key);
        CHECK(plain_name(key).find('_') == std::string::npos);
      }
    }
  }
}

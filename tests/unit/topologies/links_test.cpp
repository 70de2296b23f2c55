#include <doctest/doctest.h>

#include <string>

#include "topologies/hardware/link_spec.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

double lane(const char* generation, const char* what) {
  return catalog().find("links", "infiniband_4x").require(std::string{generation} + "/" + what).number();
}

}  // namespace

TEST_CASE("InfiniBand's rate is four lanes after line coding") {
  // 8b/10b to QDR, 64b/66b from FDR10 on: 4 x 2.5 x 0.8 = 8 ... 4 x 14.0625 x 64/66 = 54.55 Gbit/s
  for (const char* name : {"sdr", "ddr", "qdr"}) {
    CAPTURE(name);
    CHECK(link_spec(catalog(), name).raw->base() * 8e-9 ==
          doctest::Approx(4 * lane(name, "lane_signal_gbit_per_s") * 8 / 10));
  }
  for (const char* name : {"fdr10", "fdr", "edr"}) {
    CAPTURE(name);
    CHECK(link_spec(catalog(), name).raw->base() * 8e-9 ==
          doctest::Approx(4 * lane(name, "lane_signal_gbit_per_s") * 64 / 66).epsilon(0.002));
  }
  double slower = 0;
  for (const char* name : {"sdr", "ddr", "qdr", "fdr", "edr", "hdr", "ndr", "xdr"}) {
    const LinkSpec link = link_spec(catalog(), name);
    CHECK(link.achievable->base() > slower);
    CHECK(link.achievable->base() / link.raw->base() > 0.8);
    CHECK(link.achievable->base() <= link.raw->base());
    slower = link.achievable->base();
  }
}

TEST_CASE("sockets carry no more than RDMA on the same wire, and take longer") {
  for (const char* name :
       {"gbe1", "gbe10", "gbe25", "gbe40", "gbe50", "gbe100", "gbe200", "gbe400", "gbe800"}) {
    CAPTURE(name);
    const LinkSpec rdma = link_spec(catalog(), name);
    const LinkSpec tcp = link_spec(catalog(), std::string{"tcp/"} + name);
    CHECK(rdma.family == "ethernet");
    CHECK(tcp.raw->base() == doctest::Approx(rdma.raw->base()));
    CHECK(tcp.achievable->base() <= rdma.achievable->base());
    CHECK(tcp.latency->base() >= rdma.latency->base());
  }
  for (const char* name : {"qdr", "fdr", "edr", "hdr"}) {
    CAPTURE(name);
    const LinkSpec ip = link_spec(catalog(), std::string{"ipoib/"} + name);
    CHECK(ip.achievable->base() < link_spec(catalog(), name).achievable->base());
    CHECK(ip.latency->base() > link_spec(catalog(), name).latency->base());
  }
}

// Which cases exchange through sockets, and what a cloud's connections carry.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/report.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase on_two_nodes(const std::string& fabric, const std::string& extra = "",
                            const std::string& note = "") {
  return parse_cases(R"([{"id":"a","series":"s/x","kind":"measurement","system":{"gpu":"t4","gpus":2,
             "gpus_per_node":1,"nodes":2,"intra_node":"pcie","node_note":")" +
                         note + R"(","fabric":)" + fabric +
                         R"(},"workload":{"model":"vgg16","task":"training","batch_per_gpu":8,
             "precision":"fp32","framework":{"name":"pytorch"},"gradient_sync":"nccl-allreduce","extra":{)" +
                         extra + R"(}},"measured":{"metric":"step_time_s","value":1}}])",
                     "f.json")
      .at(0);
}

PredictedFigure predicted(const ValidationCase& c) {
  const std::vector<ValidationCase> all{c};
  const CaseResult r = validate_cases(Catalog::builtin(), all).cases.front();
  REQUIRE(r.predicted);
  return *r.predicted;
}

}  // namespace

TEST_CASE("Ethernet of which the source names no RDMA is used through sockets") {
  CHECK(over_sockets(on_two_nodes(R"({"link":"gbe25"})")));
  CHECK_FALSE(over_sockets(on_two_nodes(R"({"link":"gbe25","note":"RoCE"})")));
  CHECK_FALSE(over_sockets(on_two_nodes(R"({"link":"gbe25"})", R"("transport":"rdma")")));
  CHECK_FALSE(over_sockets(on_two_nodes(R"({"link":"edr"})")));
  CHECK(over_sockets(on_two_nodes(R"({"link":"edr"})", R"("transport":"ipoib")")));
  CHECK_FALSE(over_sockets(on_two_nodes(R"({"link":"gbe200"})")));
}

TEST_CASE("a connection between machines of AWS has 5 or 10 Gb/s, whatever the port has") {
  const std::string port = R"({"link":"gbe50","links_per_node":1})";
  const PredictedFigure cloud = predicted(on_two_nodes(port, "", "AWS g4dn.12xlarge")),
                        own = predicted(on_two_nodes(port));
  CHECK(cloud.assumed == std::vector<std::string>{"cloud_flow"});
  CHECK(own.assumed.empty());
  // 553 MB of gradients: 0.25 s at 2.2 GB/s, 0.44 s and 0.89 s at 10 and 5 Gb/s
  CHECK(cloud.value > own.value + 0.2);
  CHECK(cloud.high > 1.2 * cloud.value);
}

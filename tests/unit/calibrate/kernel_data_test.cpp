#include "calibrate/tables/kernel_data.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

const std::string devices =
    "device,model,architecture,sm_count,fp32_tflops,fp16_tensor_tflops,int8_tops,fp8_tflops,fp4_tflops,"
    "memory_gb_per_s,l2_mb,tdp_w,power_limited,source\n"
    "one,one,Pascal,56,10,0,0,0,0,700,4,250,no,made up\n";
const std::string sources = "folder,timing,title\nhere,back_to_back,made up\n";
const std::string gemm_header = "device,library,arithmetic,count,m,n,k,time_us\n";
const std::string conv_header =
    "device,library,arithmetic,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,pass,time_us\n";

std::vector<DataFile> folder(const std::string& name, const std::string& text) {
  return {{"devices.csv", "data/devices.csv", devices},
          {"sources.csv", "data/sources.csv", sources},
          {"here/" + name, "data/here/" + name, text}};
}

Error error_of(const std::vector<DataFile>& files) {
  try {
    load_kernel_data(files);
  } catch (const Error& e) {
    return e;
  }
  FAIL("no error");
  return Error{""};
}

void check_error(const std::string& file, const std::string& text, int line, const std::string& part) {
  const Error e = error_of(folder(file, text));
  CAPTURE(e.what());
  CHECK(e.where().file == "data/here/" + file);
  CHECK(e.where().line == line);
  CHECK(std::string{e.what()}.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("measured products keep their shape and time") {
  const KernelData data =
      load_kernel_data(folder("gemm.csv", gemm_header + "one,cudnn6,fp32,2,64,32,16,10.5\n"));
  REQUIRE(data.kernels.size() == 1);
  const MeasuredKernel& k = data.kernels.front();
  CHECK(k.call.kind == KernelClass::gemm);
  CHECK(k.call.matrix.m == 64);
  CHECK(k.call.matrix.count == 2);
  CHECK(k.call.peak.base() == 10e12);
  CHECK(k.seconds == doctest::Approx(10.5e-6));
  CHECK(k.where == "here/gemm.csv:2");
}

TEST_CASE("linear layers hold out whole weights, and weights in the cache are no traffic") {
  const std::string header = "device,library,arithmetic,m,n,k,weights_in,time_us\n";
  auto files = folder("linear.csv", header +
                                        "narrow,cudnn8,fp8,16,256,512,cache,5\n"
                                        "narrow,cudnn8,fp4,32,256,512,memory,6\n");
  files.front().text += "narrow,narrow,Blackwell,10,10,100,0,200,400,1000,1,250,no,made up\n";
  files[1].text = "folder,timing,title\nhere,with_conversion,made up\n";
  const KernelData data = load_kernel_data(files);
  REQUIRE(data.kernels.size() == 2);
  CHECK(data.kernels[0].timing == Timing::with_conversion);
  CHECK(data.kernels[0].call.arithmetic == Arithmetic::fp8);
  CHECK(data.kernels[0].call.peak.base() == 200e12);
  CHECK(data.kernels[0].call.cached_bytes == 256 * 512);
  CHECK(data.kernels[0].call.result_bytes == 2);
  CHECK(data.kernels[1].call.peak.base() == 400e12);
  CHECK(data.kernels[1].call.cached_bytes == 0);
  CHECK(data.kernels[0].shape == data.kernels[1].shape);
  const auto refused = [&](const std::string& row, const std::string& part) {
    files.back().text = header + row;
    const Error e = error_of(files);
    CAPTURE(e.what());
    CHECK(e.where().file == "data/here/linear.csv");
    CHECK(e.where().line == 2);
    CHECK(std::string{e.what()}.find(part) != std::string::npos);
  };
  refused("narrow,cudnn8,fp8,16,256,512,disk,5\n", "known: cache, memory");
  refused("narrow,cudnn8,fp8,16,256,512,,5\n", "known: cache, memory");
  refused("narrow,cudnn8,fp8,-16,256,512,cache,5\n", "too small");
  refused("narrow,cudnn8,fp8,16,256,512,cache,1e999\n", "not a number");
  refused("narrow,cudnn8,fp8,16,256,512,cache\n", "7 fields");
  refused("one,cudnn8,fp8,16,256,512,cache,5\n", "no such arithmetic");
  files[1].text = "folder,timing,title\nhere,with_luck,made up\n";
  CHECK(std::string{error_of(files).what()}.find("with_conversion") != std::string::npos);
}

TEST_CASE("products at the power limit stand apart from those in bursts") {
  auto files = folder("gemm.csv", gemm_header + "one,cudnn6,fp32,1,64,32,16,10\n");
  const std::string header = "device,library,arithmetic,m,n,k,weights_in,time_us\n";
  files.push_back({"here/sustained.csv", "data/here/sustained.csv",
                   header + "wide,cudnn8,tensor,4096,4096,4096,memory,900\n"});
  files.front().text += "wide,wide,Hopper,10,10,100,0,200,0,1000,1,250,no,made up\n";
  const KernelData data = load_kernel_data(files);
  CHECK(data.kernels.size() == 1);
  REQUIRE(data.sustained.size() == 1);
  CHECK(data.sustained[0].call.matrix.m == 4096);
  CHECK(data.sustained[0].seconds == doctest::Approx(900e-6));
  for (const std::string row :
       {"one,cudnn6,fp32,4096,4096,4096,memory,900\n", "wide,cudnn8,tensor,4096,4096,4096,disk,900\n",
        "wide,cudnn8,tensor,4096,4096,4096,memory,-1\n"}) {
    files.back().text = header + row;
    CAPTURE(row);
    const Error e = error_of(files);
    CHECK(e.where().file == "data/here/sustained.csv");
    CHECK(e.where().line == 2);
  }
}

TEST_CASE("the one tile of batched products is one that products have") {
  const std::string header = "device,library,arithmetic,rows,columns\n";
  const auto files = [&](const std::string& row) {
    auto out = folder("gemm.csv", gemm_header + "one,cudnn6,fp32,2,64,32,16,10.5\n");
    out.push_back({"here/batched_tiles.csv", "data/here/batched_tiles.csv", header + row});
    return out;
  };
  const KernelData data = load_kernel_data(files("one,cudnn6,fp32,64,128\n"));
  REQUIRE(data.batched_tiles.size() == 1);
  CHECK(data.batched_tiles[0].rows == 64);
  CHECK(data.batched_tiles[0].columns == 128);
  CHECK(std::string{error_of(files("one,cudnn6,fp32,96,128\n")).what()}.find("no such tile") !=
        std::string::npos);
}

TEST_CASE("the output of a measured convolution follows from stride and pad") {
  // (7 + 2*3 - 7)/2 + 1 = 4 rows, (9 + 2*3 - 7)/2 + 1 = 5 columns
  const KernelData data = load_kernel_data(
      folder("conv.csv", conv_header + "one,cudnn6,fp32,1,8,7,9,16,7,7,3,3,2,2,forward,10\n"));
  CHECK(data.kernels.at(0).call.conv.oh == 4);
  CHECK(data.kernels.at(0).call.conv.ow == 5);
}

TEST_CASE("broken rows of measurements are rejected with file and line") {
  const std::string good = "one,cudnn6,fp32,1,64,32,16,10\n";
  check_error("gemm.csv", "device,m,n\n", 1, "unexpected header");
  check_error("gemm.csv", gemm_header + good + "one,cudnn6,fp32,1,64,32,16\n", 3, "7 fields");
  check_error("gemm.csv", gemm_header + "one,cudnn6,fp32,1,x4,32,16,10\n", 2, "not a number");
  check_error("gemm.csv", gemm_header + "one,cudnn6,fp32,1,64,32,16,nan\n", 2, "not a number");
  check_error("gemm.csv", gemm_header + "one,cudnn6,fp32,1,64,32,16,0\n", 2, "too small");
  check_error("gemm.csv", gemm_header + "one,cudnn6,fp32,1,0,32,16,10\n", 2, "too small");
  check_error("gemm.csv", gemm_header + "two,cudnn6,fp32,1,64,32,16,10\n", 2, "unknown device");
  check_error("gemm.csv", gemm_header + "one,cudnn66,fp32,1,64,32,16,10\n", 2, "known: cudnn5");
  check_error("gemm.csv", gemm_header + "one,cudnn6,fp99,1,64,32,16,10\n", 2, "known: fp32");
  check_error("gemm.csv", gemm_header + "one,cudnn6,tensor,1,64,32,16,10\n", 2, "no such arithmetic");
  check_error("conv.csv", conv_header + "one,cudnn6,fp32,1,8,7,7,16,9,9,0,0,1,1,forward,10\n", 2,
              "larger than");
  check_error("conv.csv", conv_header + "one,cudnn6,fp32,1,8,7,7,16,3,3,1,1,1,1,sideways,10\n", 2,
              "known: forward");
  check_error("rnn.csv",
              "device,library,arithmetic,cell,hidden,batch,steps,pass,time_us\n"
              "one,cudnn6,fp32,cnn,256,8,10,forward,5\n",
              2, "known: vanilla");
  check_error("vector.csv",
              "device,library,operation,rows,columns,bytes,time_us\none,cudnn8,frobnicate,1,1,8,5\n", 2,
              "known: add");
}

TEST_CASE("measured attention: one kernel to fit, several kernels to compare with") {
  const std::string header = "device,library,kernel,pass,causal,batch,heads,queries,keys,head_dim,time_us\n";
  const auto row = [](const std::string& kernel, const std::string& pass, const std::string& causal) {
    return "cored,cudnn8," + kernel + "," + pass + "," + causal + ",2,16,512,1024,64,100\n";
  };
  auto files =
      folder("attention.csv", header + row("flash2", "backward", "yes") + row("unfused", "forward", "no"));
  files.front().text += "cored,cored,Ampere,10,10,100,0,0,0,1000,1,250,no,made up\n";
  const KernelData data = load_kernel_data(files);
  REQUIRE(data.kernels.size() == 1);
  CHECK(data.kernels.front().call.kind == KernelClass::flash2_backward);
  CHECK(data.kernels.front().call.causal);
  CHECK(data.kernels.front().call.matrix.count == 32);
  REQUIRE(data.unfused_attention.size() == 1);
  CHECK_FALSE(data.unfused_attention.front().backward);
  const auto refused = [&](const std::string& text, const std::string& part) {
    files.back().text = header + text;
    const Error e = error_of(files);
    CHECK(e.where().line == 2);
    CHECK(std::string{e.what()}.find(part) != std::string::npos);
  };
  refused(row("flash9", "forward", "no"), "unknown kernel");
  refused(row("flash2", "sideways", "no"), "unknown pass");
  refused(row("flash2", "forward", "perhaps"), "neither yes nor no");
  refused("one,cudnn8,flash2,forward,no,2,16,512,1024,64,100\n", "no such arithmetic");
  refused("cored,cudnn8,flash2,forward,no,2,16,0,1024,64,100\n", "too small");
}

TEST_CASE("attention of new tokens, and layers of experts, are read with what they move") {
  const std::string header = "device,library,arithmetic,kernel,sets,heads,keys,depth,key_bytes,time_us\n";
  auto files = folder("decode.csv", header + "cored,cudnn8,tensor,shared,64,4,1000,128,512,100\n" +
                                        "cored,cudnn8,tensor,latent,8,128,1000,544,1152,100\n");
  const std::string cored = "cored,cored,Ampere,10,10,100,0,0,0,1000,1,250,no,made up\n";
  files.front().text += cored;
  const KernelData decode = load_kernel_data(files);
  REQUIRE(decode.kernels.size() == 2);
  CHECK(decode.kernels[0].call.kind == KernelClass::decode_attention);
  CHECK(decode.kernels[0].call.moved_bytes == 64.0 * 1000 * 512);
  CHECK(decode.kernels[1].call.kind == KernelClass::latent_decode_attention);
  CHECK(decode.kernels[1].call.matrix.m == 128);
  files.back().text = header + "cored,cudnn8,tensor,paged,64,4,1000,128,512,100\n";
  CHECK(std::string{error_of(files).what()}.find("known: shared, latent") != std::string::npos);

  auto layers = folder("experts.csv",
                       "device,library,arithmetic,matrices,experts,rows,inner,width,time_us\n"
                       "cored,cudnn8,tensor,3,32,1.5,2048,7168,100\n");
  layers.front().text += cored;
  const KernelData experts = load_kernel_data(layers);
  REQUIRE(experts.kernels.size() == 1);
  CHECK(experts.kernels[0].call.kind == KernelClass::experts);
  CHECK(experts.kernels[0].call.matrices == 3);
  CHECK(experts.kernels[0].call.matrix.m == 1.5);
}

TEST_CASE("a data folder needs its device and source tables") {
  CHECK(std::string{error_of({{"sources.csv", "s", sources}}).what()}.find("devices.csv") !=
        std::string::npos);
  CHECK(std::string{error_of({{"devices.csv", "d", devices}}).what()}.find("sources.csv") !=
        std::string::npos);
  auto files = folder("gemm.csv", gemm_header);
  CHECK(std::string{error_of(files).what()}.find("no measured kernels") != std::string::npos);
  files[2].name = "there/gemm.csv";
  CHECK(std::string{error_of(files).what()}.find("how \"there\" was timed") != std::string::npos);
  files = folder("gemm.csv", gemm_header);
  files[0].text += "one,one,Pascal,56,10,0,0,0,0,700,4,250,no,again\n";
  CHECK(error_of(files).where().line == 3);
}

TEST_CASE("a missing data folder is an error") {
  CHECK_THROWS_AS(read_data_folder("no/such/folder"), Error);
}

TEST_CASE("the shipped measurements load") {
  const KernelData data = load_kernel_data(shipped_data_files());
  CHECK(data.kernels.size() > 20'000);
  CHECK(data.devices.size() > 20);
}

}  // namespace rackcast

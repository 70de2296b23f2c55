/// Commands about what rackcast knows: catalog, inference, generation.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.hpp"
#include "scenarios/listings/generation.hpp"
#include "scenarios/listings/inference.hpp"
#include "scenarios/listings/listing.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

void add_inference(CLI::App& app, Arguments& args) {
  struct Flags {
    InferenceQuestion question;
    std::string rate, latency;
  };
  CLI::App* inference = app.add_subcommand("inference", "Latency and throughput of a network on one GPU");
  const auto flags = std::make_shared<Flags>();
  InferenceQuestion& question = flags->question;
  inference->add_option("model", question.model, "Network (`rackcast catalog list models`)")->required();
  inference->add_option("--gpu", question.gpu, "GPU (`rackcast catalog list gpus`)")->required();
  inference->add_option("--framework", question.framework, "Software; default: tensorrt");
  inference->add_option("--max-batch", question.max_batch, "Largest batch; default: 128");
  inference->add_option("--rate", flags->rate, "Load to simulate, e.g. 1000/s");
  inference->add_option("--latency", flags->latency,
                        "Find the highest load with this 99th percentile, e.g. \"20 ms\"");
  inference->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  inference->add_flag("--json", args.json, "Print JSON instead of text");
  inference->callback([&args, flags] {
    InferenceQuestion asked = flags->question;
    if (!flags->rate.empty()) asked.rate = parse_quantity<Frequency>(flags->rate);
    if (!flags->latency.empty()) asked.latency_limit = parse_quantity<Duration>(flags->latency);
    deliver_tables(args, explain_inference(open_catalog(args), asked));
  });
}

void add_generation(CLI::App& app, Arguments& args) {
  struct Flags {
    GenerationQuestion question;
    std::string precision = "fp16", latency;
  };
  CLI::App* generation =
      app.add_subcommand("generation", "Tokens per second of a language model on the GPUs of a node");
  const auto flags = std::make_shared<Flags>();
  GenerationQuestion& question = flags->question;
  generation->add_option("model", question.model, "Network (`rackcast catalog list models`)")->required();
  generation->add_option("--node", question.node, "Node (`rackcast catalog list nodes`)")->required();
  generation->add_option("--prompt", question.prompt, "Tokens of a prompt")->required();
  generation->add_option("--output", question.output, "Tokens of an answer")->required();
  generation->add_option("--precision", flags->precision, "fp16, bf16, fp8, ...; default: fp16");
  generation->add_option("--tensor", question.tensor, "GPUs that split every layer; default: 1, 2, 4, ...");
  generation->add_option("--pipeline", question.pipeline, "Stages of layers; default: 1");
  generation->add_option("--draft-tokens", question.drafts,
                         "Speculative decoding: tokens guessed before each pass; default: 0");
  generation->add_option("--acceptance", question.acceptance, "Chance that a guess is right; default: 0.85");
  generation->add_option("--framework", question.framework, "Software: tensorrt (default), vllm");
  generation->add_option("--framework-version", question.version, "Its version; default: the newest");
  generation->add_option(
      "--latency", flags->latency,
      "Most time per output token after the first, e.g. \"50 ms\"; passes that also hold the "
      "prompts of other requests count");
  generation->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  generation->add_flag("--json", args.json, "Print JSON instead of text");
  generation->callback([&args, flags] {
    GenerationQuestion asked = flags->question;
    asked.precision = parse_precision(flags->precision);
    if (!flags->latency.empty()) asked.token_latency = parse_quantity<Duration>(flags->latency);
    deliver_tables(args, explain_generation(open_catalog(args), asked));
  });
}

void add_catalog(CLI::App& app, Arguments& args) {
  CLI::App* catalog = app.add_subcommand("catalog", "What rackcast knows about hardware and networks");
  catalog->require_subcommand(1);
  catalog->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  catalog->add_flag("--json", args.json, "Print JSON instead of text");
  catalog->fallthrough();
  const auto words = std::make_shared<std::vector<std::string>>();

  CLI::App* list = catalog->add_subcommand("list", "The kinds, or the entries of one");
  list->add_option("kind", *words, "gpus, nodes, switches, links, networks, frameworks, ...")->expected(0, 1);
  list->callback([&args, words] {
    deliver_tables(args, list_catalog(open_catalog(args), words->empty() ? "" : words->front()));
  });

  CLI::App* show = catalog->add_subcommand("show", "One entry with every fact and its source");
  show->add_option("entry", *words, "[KIND] NAME, or a file of your own")->required()->expected(1, 2);
  show->callback([&args, words] {
    deliver_tables(args,
                   show_catalog(open_catalog(args), words->size() == 2 ? words->front() : "", words->back()));
  });

  CLI::App* search = catalog->add_subcommand("search", "Entries that mention a text");
  search->add_option("text", *words, "Part of a name, an alias, a fact or a source")->required()->expected(1);
  search->callback(
      [&args, words] { deliver_tables(args, search_catalog(open_catalog(args), words->front())); });
}

}  // namespace rackcast

#!/usr/bin/env node
'use strict';
// `npx rackcast size scenario.json`: the questions of the program, answered by the same engine in WebAssembly.
const { parseArgs } = require('node:util');
const { readFileSync } = require('node:fs');
const { load, questions, RackcastError } = require('./planner.js');

const usage = `rackcast: how a deep-learning cluster will perform, and how much of it to buy

  rackcast size SCENARIO          how many nodes meet the goal
  rackcast simulate SCENARIO      how long it takes on the scenario's own cluster
  rackcast explain SCENARIO       where time and memory of one step go
  rackcast uncertainty SCENARIO   how sure the answer is
  rackcast campaign SCENARIO      days to years of jobs on the cluster
  rackcast check SCENARIO         read it and resolve its names
  rackcast catalog list [KIND]    what rackcast knows: gpus, nodes, models, ...
  rackcast catalog show [KIND] NAME
  rackcast report RESULT          print a result, or write it with -o
  rackcast compare A B [C ...]    results side by side

  --set KEY=VALUE   another value than the scenario's (repeatable)
  --limit LIMIT     end with what is known by then: 10s, events=1e6 (repeatable)
  --samples N       of uncertainty: 16 to 65536
  --catalog DIR     entries of your own
  -o, --output FILE a report; .html, .md, .txt, .csv or .json (repeatable)
  --json            print the document
  --full            print all sections of a result
  --version, -h, --help

Workbooks, PDF, sweeps, imports and calibration need the program itself.
`;

/** Exit codes as those of the program. */
const codes = { ok: 0, internal: 1, usage: 2, invalidInput: 3 };

function wrong(message, hint = '`rackcast --help` lists the commands') {
  throw new RackcastError({ code: codes.usage, message: `error: ${message}\n  hint: ${hint}` });
}

function parsed(words) {
  try {
    return parseArgs({
      args: words, allowPositionals: true,
      options: {
        set: { type: 'string', multiple: true, default: [] }, limit: { type: 'string', multiple: true, default: [] },
        samples: { type: 'string', default: '0' }, catalog: { type: 'string' }, output: { type: 'string', short: 'o', multiple: true, default: [] },
        json: { type: 'boolean', default: false }, full: { type: 'boolean', default: false },
        version: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return wrong(error.message);
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const problem = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new RackcastError({ code: codes.invalidInput, message: `${file}: error: ${problem}` });
  }
}

/** Before the work: what cannot be written is refused, and nothing is written. */
function checkEndings(paths) {
  for (const path of paths) {
    const ending = path.slice(path.lastIndexOf('.'));
    if (['.pdf', '.xlsx'].includes(ending)) wrong(`"${path}" needs the program: here are no workbooks and no PDF`, 'write .html or .csv');
    if (!['.html', '.md', '.txt', '.csv', '.json'].includes(ending)) wrong(`cannot tell the format of "${path}"`, 'use .html, .md, .txt, .csv or .json');
  }
}

/** Prints a document, or writes its reports. */
function deliver(planner, document, options) {
  const written = options.output.flatMap((path) => planner.write(document, path));
  if (options.json) return process.stdout.write(document);
  process.stdout.write(planner.text(document, options.full));
  for (const path of written) process.stdout.write(`Report: ${path}\n`);
  if (!options.full && written.length === 0 && JSON.parse(document).format === 'rackcast-result')
    process.stdout.write('Why, and all figures: --full, or a report with -o report.html\n');
}

function answer(planner, [command, ...names], options) {
  const asked = {
    sets: options.set, limits: options.limit, samples: Number(options.samples), catalog: options.catalog,
    command: ['rackcast', ...process.argv.slice(2)].join(' '),
  };
  if (!Number.isInteger(asked.samples) || asked.samples < 0) wrong(`${options.samples} samples`, 'a whole number');
  checkEndings(options.output);
  const one = () => (names.length === 1 ? names[0] : wrong(`${command} takes one file`));
  if (command === 'check') {
    process.stdout.write(`${planner.check(one(), asked)}\n`);
  } else if (questions.includes(command)) {
    const { code, document } = planner.ask(command, one(), asked);
    deliver(planner, document, options);
    return code;
  } else if (command === 'catalog') {
    const [what, ...words] = names;
    if (what === 'list' && words.length <= 1) deliver(planner, planner.listing(words[0] ?? '', '', asked).document, options);
    else if (what === 'show' && [1, 2].includes(words.length)) deliver(planner, planner.listing(words.length === 2 ? words[0] : '', words.at(-1), asked).document, options);
    else wrong('catalog takes "list" and a kind, or "show", a kind and a name');
  } else if (command === 'report') {
    deliver(planner, read(one()), options);
  } else if (command === 'compare') {
    if (names.length < 2) wrong('compare takes two results or more');
    if (new Set(names).size < names.length) wrong('compare takes different files');
    deliver(planner, JSON.stringify(planner.compare(names.map((name) => [name, read(name)]))), options);
  } else {
    wrong(command === undefined ? 'no command' : `rackcast has no command "${command}" here`);
  }
  return codes.ok;
}

async function main() {
  process.stdout.on('error', (error) => {
    process.stderr.write(`error: cannot write to the standard output: ${error.code}\n`);
    process.exit(codes.internal);
  });
  try {
    const { values, positionals } = parsed(process.argv.slice(2));
    if (values.help) return process.stdout.write(usage);
    const planner = await load();
    if (values.version) return process.stdout.write(`rackcast ${planner.version}\n`);
    process.exitCode = answer(planner, positionals, values);
  } catch (error) {
    const known = error instanceof RackcastError;
    process.stderr.write(known ? `${error.message}\n` : `error: ${error.message}\n`);
    process.exitCode = known ? error.code : codes.internal;
  }
}

main();

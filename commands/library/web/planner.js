'use strict';
// The functions of rackcast.h for JavaScript, in Node and in browsers: questions in, result documents out.

/** Why there is no answer. `message` is whole: place, what was expected, hint; `code` is an exit code of the program. */
class RackcastError extends Error {
  constructor(fields) {
    super(fields.message);
    Object.assign(this, fields);
    this.name = 'RackcastError';
  }
}

/** A folder of the module's own, which no folder of the machine hides. */
const scratch = '/rackcast-in-memory';

/** The functions that take a scenario. */
const questions = ['size', 'simulate', 'explain', 'uncertainty', 'campaign', 'check'];

/**
 * A planner on a loaded module. It asks one question at a time, on the thread that calls it.
 *
 * A scenario is the path of a file or an object of the same form. Options: `sets` (["goal.deadline=21 days"]),
 * `limits` (["10 s"]), `samples` of uncertainty(), `catalog` (a folder), `text` (the scenario itself; its path only
 * names it), `command` (the command line that a result says it was asked by), and `progress`, a function of what is
 * counted, how much is done, and of how much (0: not known). Functions throw RackcastError.
 */
class Planner {
  constructor(module) {
    this.module = module;
    for (const question of questions)
      if (question !== 'check') this[question] = (scenario, options) => JSON.parse(this.ask(question, scenario, options).document);
  }

  /** Reads the scenario and resolves its names without simulating: a line of text. */
  check(scenario, options) { return this.ask('check', scenario, options).document; }

  /** A table of the catalogue ("gpus", "nodes", ...), or with a name that entry: a table document. */
  catalog(kind = '', name = '', options = {}) { return JSON.parse(this.listing(kind, name, options).document); }

  /** What the program prints of a document: 80 columns; `full`: all sections of a result. */
  text(document, full = false) { return this.call((memory) => this.module._rackcast_text(memory.text(document), full ? 1 : 0)).document; }

  /** Results beside each other, { name: result } or pairs of them: a comparison document, with differences to the first. */
  compare(results) {
    const pairs = Array.isArray(results) ? results : Object.entries(results);
    return JSON.parse(this.call((memory) => this.module._rackcast_compare(
      memory.texts(pairs.map(([, result]) => result)), memory.texts(pairs.map(([name]) => name)), pairs.length)).document);
  }

  /** A report of a result, campaign or comparison as one text: '.html', '.md', '.txt' or '.json'. */
  report(document, ending) {
    if (!['.html', '.md', '.txt', '.json'].includes(ending)) throw new RangeError(`no report "${ending}" is one text`);
    const { FS } = this.module, path = `${scratch}/report${ending}`; // in the memory of the module alone
    if (!FS.analyzePath(scratch).exists) FS.mkdir(scratch);
    try {
      this.write(document, path);
      return FS.readFile(path, { encoding: 'utf8' });
    } finally {
      for (const name of FS.readdir(scratch)) if (!name.startsWith('.')) FS.unlink(`${scratch}/${name}`);
    }
  }

  /** Writes a report to a path, .csv among them; returns the files. */
  write(document, path) { return this.call((memory) => this.module._rackcast_report(memory.text(document), memory.text(path))).document.split('\n'); }

  get version() { return this.module.UTF8ToString(this.module._rackcast_version()); }

  /** An answer as the library gives it: { code, feasible, document }, the document a text. */
  ask(question, scenario, options = {}) {
    if (!questions.includes(question)) throw new RangeError(`no question "${question}"`);
    const asked = typeof scenario === 'string' ? options : { ...options, text: JSON.stringify(scenario) };
    const file = typeof scenario === 'string' ? scenario : 'scenario';
    return this.call((memory) => this.module[`_rackcast_${question}`](memory.text(file), memory.options(asked)));
  }

  listing(kind, name, options = {}) {
    return this.call((memory) => this.module._rackcast_catalog(memory.text(kind), memory.text(name), memory.options(options)));
  }

  call(work) {
    const { module } = this;
    const memory = new CallMemory(module);
    let answer = 0;
    try {
      answer = work(memory);
      if (memory.failure) throw memory.failure;
      const text = (name) => module.UTF8ToString(module[`_rackcast_${name}`](answer));
      const code = module._rackcast_code(answer), document = text('document');
      if (code === 0 || document !== '') return { code, feasible: module._rackcast_feasible(answer) !== 0, document };
      throw new RackcastError({
        code, message: text('message'), problem: text('problem'), hint: text('hint'), file: text('file'),
        pointer: text('pointer'), line: module._rackcast_line(answer), column: module._rackcast_column(answer),
      });
    } finally {
      module._rackcast_free(answer);
      memory.free();
    }
  }
}

/** What one call puts into the memory of the module. */
class CallMemory {
  constructor(module) {
    this.module = module;
    this.blocks = [];
    this.functions = [];
    this.failure = null; // what the progress function threw
  }

  take(bytes) {
    const at = this.module._malloc(bytes) >>> 0;
    if (at === 0) throw new RackcastError({ code: 1, message: 'out of memory' });
    this.blocks.push(at);
    return at;
  }

  /** A text, or a document, which is written as one. */
  text(value) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.includes('\0')) throw new RackcastError({ code: 3, message: 'error: a text or a name has a zero byte' });
    const bytes = this.module.lengthBytesUTF8(text) + 1, at = this.take(bytes);
    this.module.stringToUTF8(text, at, bytes);
    return at;
  }

  words(values) {
    const at = this.take(4 * Math.max(1, values.length));
    values.forEach((value, i) => { this.module.HEAPU32[(at >>> 2) + i] = value; });
    return at;
  }

  texts(values) { return this.words(values.map((value) => this.text(value))); }

  callback(signature, work) {
    const made = this.module.addFunction(work, signature);
    this.functions.push(made);
    return made;
  }

  /** struct rackcast_options, whose members are words of 32 bits here. */
  options({ text, catalog, sets = [], limits = [], samples = 0, progress, command }) {
    const optional = (value) => (value === undefined || value === '' ? 0 : this.text(value));
    // An exception may not cross the module: it ends the work, and is thrown where the call returns.
    const report = progress ? this.callback('viiii', (user, what, done, all) => {
      if (this.failure) return;
      try { progress(this.module.UTF8ToString(what), done >>> 0, all >>> 0); } catch (error) { this.failure = error; }
    }) : 0;
    const cancelled = progress ? this.callback('ii', () => (this.failure ? 1 : 0)) : 0;
    return this.words([text === undefined ? 0 : this.text(text), optional(catalog), this.texts(sets), sets.length,
      this.texts(limits), limits.length, 1, samples, report, cancelled, 0, optional(command)]);
  }

  free() {
    for (const at of this.blocks) this.module._free(at);
    for (const made of this.functions) this.module.removeFunction(made);
  }
}

if (typeof module === 'object' && module.exports) {
  const load = require('./rackcast.js');
  exports.RackcastError = RackcastError;
  exports.Planner = Planner;
  exports.questions = questions;
  /**
   * Loads the planner. In Node it sees the files of the machine under their own names; `wasm`: the bytes of
   * rackcast.wasm, where they do not lie beside this file.
   */
  exports.load = async ({ wasm } = {}) => {
    const fs = require('node:fs'), path = require('node:path');
    const binary = wasm ?? fs.readFileSync(path.join(__dirname, 'rackcast.wasm'));
    const loaded = await load({ wasmBinary: binary });
    if (process.platform === 'win32') return new Planner(loaded); // whose names of files the module does not know
    const own = new Set(loaded.FS.readdir('/'));
    const isFolder = (name) => { try { return fs.statSync(name).isDirectory(); } catch { return false; } };
    for (const name of fs.readdirSync('/')) {
      if (['dev', 'proc', 'sys'].includes(name) || !isFolder(`/${name}`)) continue;
      if (!own.has(name)) loaded.FS.mkdir(`/${name}`);
      loaded.FS.mount(loaded.NODEFS, { root: `/${name}` }, `/${name}`);
    }
    // Below /dev, /proc and /sys relative names mean nothing to the module.
    if (loaded.FS.analyzePath(process.cwd()).exists) loaded.FS.chdir(process.cwd());
    return new Planner(loaded);
  };
}

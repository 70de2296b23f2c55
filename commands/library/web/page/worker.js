'use strict';
// Runs beside the page, so that the page answers while the planner works. The first message brings the module's bytes.
let planner = null;

const tasks = {
  ask({ question, name, text }, tell) {
    const { code, document } = planner.ask(question, name, { text, progress: tell });
    const format = JSON.parse(document.startsWith('{') ? document : '{}').format;
    const words = format === undefined ? document : planner.text(document, true);
    const html = ['rackcast-result', 'rackcast-campaign'].includes(format) ? planner.report(document, '.html') : null;
    return { code, document, words, html };
  },
  show({ document }) {
    return { code: 0, document, words: planner.text(document, true), html: planner.report(document, '.html') };
  },
  compare({ results }) {
    const document = JSON.stringify(planner.compare(results));
    return { code: 0, document, words: planner.text(document), html: planner.report(document, '.html') };
  },
};

self.onmessage = async ({ data }) => {
  if (data.wasm) {
    try {
      planner = new Planner(await rackcastModule({ wasmBinary: data.wasm, locateFile: (name) => name }));
      self.postMessage({ ready: planner.version });
    } catch (error) {
      self.postMessage({ failed: String(error.message ?? error) });
    }
    return;
  }
  let told = 0;
  const tell = (what, done, all) => {
    if (Date.now() - told < 100) return;
    told = Date.now();
    self.postMessage({ what, done, all });
  };
  try {
    self.postMessage({ answer: tasks[data.task](data, tell) });
  } catch (error) {
    if (!(error instanceof RackcastError)) return self.postMessage({ failed: String(error.message ?? error) });
    const { code = 1, problem, hint = '', pointer = '', line = 0, column = 0 } = error;
    self.postMessage({ error: { code, message: String(error.message ?? error), problem: problem ?? String(error.message ?? error), hint, pointer, line, column } });
  }
};

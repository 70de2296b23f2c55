// The page of the planner: two variants of a scenario, a worker that answers, and the report beside them.

const get = (id) => document.getElementById(id);
const examples = JSON.parse(get('examples').textContent);
const start = JSON.parse(get('start').textContent);

const variants = ['A', 'B'].map((name) => ({ name, text: '', file: 'scenario.json', answer: null }));
let current = variants[0];
let worker = null;
let waiting = null;  // what is done with the answer of the question that runs
let linked = null;   // the scenario that the address brought, until it is checked; or the Error that says why it brought none
let shown = null;    // what stands beside the scenario: the answer, of which variant, and the file of its report

/** The bytes of the module: packed in the page, for a page needs no server. */
async function moduleBytes() {
  const packed = bytesOfBase64(get('engine').textContent.trim());
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  performance.mark('unpacked'); // tests/web/first_answer.mjs reads the marks
  return bytes;
}

function say(text, isError = false) {
  get('message').textContent = text;
  get('message').classList.toggle('error', isError);
}

/** The planner is gone: says why, and offers to start it again. */
function fail(text) {
  worker?.terminate();
  worker = null;
  waiting = null;
  setBusy(false);
  for (const id of ['ask', 'compare']) get(id).disabled = true;
  get('restart').hidden = false;
  say(text, true);
}

async function startWorker() {
  worker?.terminate();
  waiting = null;
  get('restart').hidden = true;
  setBusy(true);
  say('Starting the planner \u2026');
  const source = new Blob([get('worker').textContent], { type: 'text/javascript' });
  worker = new Worker(URL.createObjectURL(source));
  worker.onerror = (event) => fail(`The planner failed: ${event.message}`);
  worker.onmessage = ({ data }) => {
    if (data.ready) {
      get('version').textContent = data.ready;
      setBusy(false);
      performance.mark('ready');
      say('Ready.');
      if (linked) showLinked();
      else if (variants[0].document) showDocument(variants[0]);
      return;
    }
    if (data.failed) return fail(`The planner failed: ${data.failed}`);
    if (data.what) return say(`${data.what}: ${data.done}${data.all > 0 ? ` of ${data.all}` : ''}`);
    const done = waiting;
    waiting = null;
    setBusy(false);
    done(data);
  };
  const begun = worker;
  try {
    const wasm = await moduleBytes();
    if (worker === begun) worker.postMessage({ wasm }, [wasm]);
  } catch (error) {
    if (worker === begun) fail(`The planner does not start: ${error.message}`);
  }
}

function setBusy(busy) {
  for (const id of ['ask', 'compare']) get(id).disabled = busy;
  get('cancel').hidden = !waiting;
  get('result').setAttribute('aria-busy', String(busy));
}

function task(message, then) {
  waiting = then;
  setBusy(true);
  say('Working \u2026');
  worker.postMessage(message);
}

/** Shows an answer, as a report or a table. `variant`: whose it is; null: of both. */
function show(answer, variant) {
  const { html, words: table } = answer, file = variant ? variant.file : 'comparison.json';
  shown = { answer, variant, title: variant ? `${variant.name}: ${file}` : 'A and B', file: file.replace(/(\.json)?$/, '.html') };
  const frame = get('report'), lines = get('table');
  frame.hidden = html === null;
  lines.hidden = html !== null;
  if (html === null) {
    lines.textContent = table;
  } else {
    if (frame.src.startsWith('blob:')) URL.revokeObjectURL(frame.src);
    frame.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  }
  get('nothing').hidden = true;
  drawVariants();
  if (matchMedia('(max-width: 900px)').matches) get('result').scrollIntoView(); // below the form
}

/** Whether an answer is of what the variant still holds; otherwise says so. */
function isOfNow(variant, text) {
  if (variant.text === text) return true;
  say(`The scenario of ${variant.name} has changed since: ask again.`);
  return false;
}

function showError(error, variant) {
  say(error.message, true);
  if (variant !== current) return;
  const inForm = !get('form').hidden && error.pointer !== '' && markField(get('form'), error);
  if (inForm || error.line < 1 || get('text').hidden) return;
  const lines = get('text').value.split('\n'), before = lines.slice(0, error.line - 1).join('\n').length + (error.line > 1 ? 1 : 0);
  const at = before + Math.max(0, error.column - 1);
  get('text').focus();
  get('text').setSelectionRange(at, before + (lines[error.line - 1]?.length ?? 0));
}

/** The report of the result that the page came with. */
function showDocument(variant) {
  const { document: result, text } = variant;
  variant.document = null;
  task({ task: 'show', document: result }, ({ answer, error }) => {
    if (error) return showError(error, variant);
    if (!isOfNow(variant, text)) return;
    variant.answer = answer;
    performance.mark('shown');
    say('This is the report. Change a value and ask again.');
    if (variant === current) show(answer, variant);
    drawVariants();
  });
}

/** Takes the scenario of the address, if it brings one, into the current variant. Nothing is asked. */
function takeLink() {
  try {
    linked = linkedScenario(location.hash, [...get('question').options].map((one) => one.value));
  } catch (error) {
    linked = error;
  }
  if (!linked) return;
  if (!(linked instanceof Error)) {
    take(linked.text, linked.file);
    get('question').value = linked.question;
  }
  if (!get('ask').disabled) showLinked();
}

/** Says what the address brought, once the planner can check it. */
function showLinked() {
  const brought = linked, variant = current;
  linked = null;
  if (brought instanceof Error) return say(`The scenario of this address was refused: ${brought.message}.`, true);
  if (variant.text !== brought.text) return; // changed meanwhile
  if (brought.needsFiles) return say('This scenario names files, which no page sees: the rackcast program answers it.', true);
  task({ task: 'ask', question: 'check', name: brought.file, text: brought.text }, ({ error }) => {
    if (error) return showError(error, variant.text === brought.text ? variant : null);
    say(`${brought.file} came with the address. Press Answer to ask it.`);
  });
}

function ask() {
  clearErrors();
  const variant = current, { text, file } = variant, question = get('question').value, begun = performance.now();
  task({ task: 'ask', question, name: file, text }, ({ answer, error }) => {
    if (error) return showError(error, variant.text === text ? variant : null);
    if (!isOfNow(variant, text)) return;
    variant.answer = answer;
    performance.mark('answered');
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    say(answer.code === 4 ? `No plan meets the goal; the report says why (${seconds} s).` : `Answered in ${seconds} s.`);
    if (variant === current) show(answer, variant);
    drawVariants();
  });
}

function compareVariants() {
  clearErrors();
  const results = variants.filter((one) => one.answer).map((one) => [`${one.name}: ${one.file}`, one.answer.document]);
  if (results.length < 2) return say('Answer A and B first.', true);
  task({ task: 'compare', results }, ({ answer, error }) => {
    if (error) return showError(error, null);
    say('B beside A, with the differences.');
    show(answer, null);
  });
}

function clearErrors() {
  for (const one of document.querySelectorAll('.row .error')) one.remove();
  for (const one of document.querySelectorAll('[aria-invalid]')) { one.removeAttribute('aria-invalid'); one.removeAttribute('aria-errormessage'); }
}

function drawVariants() {
  for (const one of variants) {
    const button = get(`variant-${one.name}`);
    button.setAttribute('aria-pressed', String(one === current));
    button.textContent = `${one.name}${one.answer ? ' \u2713' : ''}`;
  }
  const isOld = shown?.variant && shown.variant.answer !== shown.answer;
  get('shown').textContent = shown ? `${shown.title}${isOld ? ', before the last change' : ''}` : '';
}

/** The scenario of the current variant, in the form and as text. */
function draw() {
  get('text').value = current.text;
  let scenario = null;
  try { scenario = parsed(current.text); } catch { /* the text view shows it as it is */ }
  const isObject = scenario !== null && typeof scenario === 'object' && !Array.isArray(scenario);
  const extent = isObject ? extentOf(scenario) : null;
  const usable = isObject && extent.depth <= deepestScenario && extent.values <= mostFields;
  if (!usable) view('text');
  get('view-form').disabled = !usable;
  if (usable)
    drawForm(get('form'), scenario, (changed) => {
      clearErrors();
      Object.assign(current, { text: `${JSON.stringify(changed, null, 2)}\n`, answer: null, document: null });
      get('text').value = current.text;
      drawVariants();
    });
  drawVariants();
}

function view(name) {
  for (const one of ['form', 'text']) {
    get(one).hidden = one !== name;
    get(`view-${one}`).setAttribute('aria-pressed', String(one === name));
  }
}

function take(text, file) {
  Object.assign(current, { text, file, answer: null, document: null });
  clearErrors();
  draw();
}

function save(text, name, type) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function begin() {
  if (typeof WebAssembly !== 'object' || typeof DecompressionStream !== 'function') {
    say('This browser cannot run the planner: it has no WebAssembly, or no DecompressionStream. The rackcast program answers the same questions.', true);
    return;
  }
  get('example').append(...Object.keys(examples).map((name) => element('option', { textContent: name })));
  get('example').onchange = () => { const name = get('example').value; if (name) take(examples[name], `${name}.json`); };
  get('open').onchange = async () => {
    const [file] = get('open').files;
    if (!file) return;
    if (file.size > 16e6) return say(`${file.name} is larger than a scenario can be: 16 MB`, true);
    take(await file.text(), file.name);
    get('open').value = '';
  };
  get('save').onclick = () => save(current.text, current.file, 'application/json');
  get('save-report').onclick = () => (shown?.answer.html ? save(shown.answer.html, shown.file, 'text/html') : say('There is no report here.', true));
  get('ask').onclick = ask;
  get('cancel').onclick = startWorker;
  get('restart').onclick = startWorker;
  get('compare').onclick = compareVariants;
  get('copy').onclick = () => {
    const other = variants.find((one) => one !== current);
    Object.assign(other, { text: current.text, file: current.file, answer: null, document: null });
    current = other;
    draw();
    say(`Variant ${current.name} is a copy; change it and ask again.`);
  };
  for (const one of variants)
    get(`variant-${one.name}`).onclick = () => {
      current = one;
      draw();
      if (current.answer) show(current.answer, current);
    };
  get('text').oninput = () => { Object.assign(current, { text: get('text').value, answer: null, document: null }); drawVariants(); };
  get('text').onchange = draw;
  get('view-form').onclick = () => { view('form'); draw(); };
  get('view-text').onclick = () => view('text');

  const first = Object.keys(examples)[0];
  for (const one of variants) Object.assign(one, { text: start?.scenario ?? examples[first], file: start?.file ?? `${first}.json` });
  variants[0].document = start?.document ?? null;
  if (start) get('question').value = start.question;
  draw();
  takeLink();
  addEventListener('hashchange', takeLink);
  performance.mark('drawn');
  startWorker();
}

begin();

// The planner in WebAssembly: its answers are those of the program, its command behaves as the program does, and its
// page asks and shows. Usage: node planner_test.mjs PROGRAM PACKAGE NODE_MODULES CHROMIUM, from the root of the tree.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const [program, folderOfPackage, modules, browserPath] = process.argv.slice(2);
const { load, RackcastError } = createRequire(import.meta.url)(resolve(folderOfPackage, 'planner.js'));
const require = createRequire(resolve(modules, 'none.js'));
// What npm fetches may be missing; the planner itself needs none of it.
const noBrowser = !browserPath || !existsSync(resolve(modules, 'playwright-core')) ? 'chromium or the npm packages are missing' : false;
const noNpm = spawnSync('npm', ['--version']).status === 0 ? false : 'npm is missing';
if (noBrowser || noNpm) console.log(`NOT TESTED: the page or the package of the planner: ${noBrowser || noNpm}`);
const cli = resolve(folderOfPackage, 'cli.js'), root = process.cwd();
const fleet = 'scenarios/fleet_very_conservative.json';
const folder = mkdtempSync(join(tmpdir(), 'rackcast-planner-'));
const file = (name) => join(folder, name);
let planner, browser;

before(async () => { planner = await load(); });
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** The scenario of a file, which may have comments. */
const scenarioOf = (path) => JSON.parse(readFileSync(path, 'utf8').replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) => (part[0] === '"' ? part : ' ')));

/** What `rackcast report SCENARIO` would ask. */
function questionOf(scenario) {
  if (scenario.campaign && !scenario.goal) return 'campaign';
  return scenario.goal || scenario.serving ? 'size' : 'simulate';
}

/** Asserts that two documents are the same but for the last digits of numbers: other C libraries round exp() and log() otherwise. */
function assertSame(a, b, place = '') {
  if (typeof a === 'number' && typeof b === 'number') {
    assert.ok(a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)), `${place}: ${a} and ${b}`);
  } else if (a !== null && typeof a === 'object') {
    assert.deepEqual(Object.keys(a), Object.keys(b ?? {}), place);
    for (const key of Object.keys(a)) if (key !== 'commit') assertSame(a[key], b[key], `${place}/${key}`);
  } else {
    assert.equal(a, b, place);
  }
}

for (const name of readdirSync('scenarios').filter((one) => one.endsWith('.json')).sort())
  test(`${name}: the same answer as the program's`, () => {
    const path = join('scenarios', name), question = questionOf(scenarioOf(path));
    const native = spawnSync(program, [question, path, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const answer = planner.ask(question, path, { command: `rackcast ${question} ${path} --json` });
    assert.equal(answer.code, native.status);
    assertSame(JSON.parse(native.stdout), JSON.parse(answer.document));
  });

test('what is printed is what the program prints', () => {
  for (const words of [['size', fleet], ['simulate', 'scenarios/saturn_v.json', '--full'], ['explain', 'scenarios/saturn_v.json'],
    ['check', fleet], ['catalog', 'list', 'gpus'], ['catalog', 'show', 'k80'], ['campaign', 'scenarios/dgx_pod_team_dgx1.json']]) {
    const native = spawnSync(program, words, { encoding: 'utf8', env: { ...process.env, COLUMNS: '80', LANG: 'C.UTF-8' } });
    const own = spawnSync('node', [cli, ...words], { encoding: 'utf8' });
    assert.equal(own.stderr, '');
    assert.equal(own.status, native.status);
    assert.equal(own.stdout, native.stdout, words.join(' '));
  }
});

test('an object is a scenario, and its report a page', () => {
  const scenario = scenarioOf('scenarios/imagenet_mn1.json');
  const counted = [];
  const result = planner[questionOf(scenario)](scenario, { progress: (what, done) => counted.push([what, done]) });
  assert.equal(result.format, 'rackcast-result');
  assert.ok(counted.length > 0);
  assert.ok(counted.every(([what, done]) => what.length > 0 && done >= 0));
  assert.match(planner.report(result, '.html'), /^<!doctype html>/i);
  assert.match(planner.report(result, '.md'), /^# /);
  assert.throws(() => planner.report(result, '.csv'), RangeError);
  assert.deepEqual(planner.module.FS.readdir('/rackcast-in-memory').filter((name) => !name.startsWith('.')), []);
  const again = planner.compare({ one: result, two: result });
  assert.equal(again.format, 'rackcast-comparison');
  assert.match(planner.text(again), /two/);
});

test('what the progress function throws ends the work, and comes back', () => {
  const own = new Error('enough');
  let calls = 0;
  assert.throws(() => planner.size(fleet, { progress: () => { calls += 1; throw own; } }), (error) => error === own);
  assert.equal(calls, 1);
  assert.equal(planner.check(fleet).includes('no errors'), true);
});

test('files that a scenario names are found, and reports land where the program would put them', () => {
  mkdirSync(file('deep'));
  writeFileSync(file('deep/base.json'), readFileSync('scenarios/saturn_v.json'));
  writeFileSync(file('deep/own.json'), '{"extends": "base.json", "name": "Own"}');
  const own = spawnSync('node', [cli, 'simulate', 'own.json', '-o', '../out.html', '-o', 'out.csv', '--json'], { cwd: file('deep'), encoding: 'utf8' });
  assert.equal(own.status, 0, own.stderr);
  assert.match(readFileSync(file('out.html'), 'utf8'), /Own/);
  assert.ok(readdirSync(file('deep')).some((name) => name.endsWith('.csv')));
});

test('broken input is refused as the program refuses it', () => {
  const text = readFileSync(fleet, 'utf8');
  const broken = {
    empty: '', truncated: text.slice(0, text.length / 2), binary: Buffer.from([0, 255, 254, 1, 2]), array: '[]', unit: text.replace('14 days', '14 lightyears'),
    negative: text.replace('14 days', '-14 days'), huge: text.replace('14 days', '1e400 days'), duplicate: text.replace('"goal"', '"goal": {}, "goal"'),
    unknown: text.replace('"goal"', '"gaol"'), nested: '['.repeat(100000),
    hexadecimal: text.replace('14 days', '0x10..0x20 h'), plus: text.replace('14 days', '+5..10 days'), tiny: text.replace('14 days', '1e-400 days'),
    cyclic: '{"extends": "cyclic.json"}', missing: '{"extends": "no-such-file.json"}',
  };
  for (const [name, content] of Object.entries(broken)) {
    writeFileSync(file(`${name}.json`), content);
    const native = spawnSync(program, ['size', file(`${name}.json`)], { encoding: 'utf8' });
    const own = spawnSync('node', [cli, 'size', file(`${name}.json`)], { encoding: 'utf8' });
    assert.equal(native.status, 3, name);
    assert.equal(own.status, 3, `${name}: ${own.stderr}`);
    assert.equal(own.stdout, '', name);
    assert.equal(own.stderr, native.stderr, name);
  }
  assert.throws(() => planner.size({ name: 'no' }), (error) => error instanceof RackcastError && error.code === 3 && error.hint !== '');
  assert.throws(() => planner.size({ nodes: 1n }), TypeError);
  assert.throws(() => planner.size(fleet, { text: '' }), /the text is empty/);
  assert.throws(() => planner.size(`${fleet}\0x`), /zero byte/);
  assert.equal(planner.size(fleet).format, 'rackcast-result'); // and it answers after all that
});

test('a wrong call says so', () => {
  for (const [words, said] of [[['frobnicate'], /no command "frobnicate"/], [['size'], /one file/], [['size', fleet, '--colour'], /colour/], [[], /no command/],
    [['size', fleet, '-o', file('a.md'), '-o', 'x.docx'], /docx/], [['compare', fleet, fleet], /different/], [['size', fleet, '-o', file('x.xlsx')], /workbook/], [['compare', fleet], /two results/], [['uncertainty', fleet, '--samples', '3'], /samples/]]) {
    const own = spawnSync('node', [cli, ...words], { encoding: 'utf8' });
    assert.equal(own.status, 2, own.stderr);
    assert.match(own.stderr, said);
  }
  assert.ok(!existsSync(file('a.md')));
  for (const words of [['size', file('none.json')], ['report', file('none.json')], ['compare', file('none.json'), fleet]])
    assert.equal(spawnSync('node', [cli, ...words], { encoding: 'utf8' }).status, 3);
  assert.match(execFileSync('node', [cli, '--version'], { encoding: 'utf8' }), /^rackcast \d/);
});

test('the package holds what its description names, and installs', { skip: noNpm }, () => {
  const packed = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder, resolve(folderOfPackage)], { encoding: 'utf8' }))[0];
  const names = packed.files.map((one) => one.path);
  for (const name of ['cli.js', 'planner.js', 'rackcast.js', 'rackcast.wasm', 'rackcast.html', 'LICENSE', 'NOTICE', 'README.md', 'package.json']) assert.ok(names.includes(name), name);
  mkdirSync(file('user'));
  writeFileSync(file('user/package.json'), '{}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', file(packed.filename)], { cwd: file('user') });
  const said = execFileSync('npx', ['--offline', 'rackcast', 'check', resolve(root, fleet)], { cwd: file('user'), encoding: 'utf8' });
  assert.equal(said, execFileSync(program, ['check', resolve(root, fleet)], { encoding: 'utf8' }));
});

// ---------------------------------------------------------------- the page

async function open(options = {}, path = resolve(folderOfPackage, 'rackcast.html'), said = 'Ready') {
  const { chromium } = require('playwright-core');
  browser ??= await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, ...options });
  context.setDefaultTimeout(60000);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`request: ${request.url()}`));
  await page.goto(pathToFileURL(path).href);
  if (said) await page.locator('#message', { hasText: said }).waitFor();
  return { page, faults, close: () => context.close() };
}

const answered = (page) => page.locator('#message', { hasText: /Answered|No plan/ }).waitFor();

test('the page answers a question, shows the report, and asks nothing of anyone', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'fleet_very_conservative');
  await page.click('#ask');
  await answered(page);
  const report = page.frameLocator('#report');
  const nodes = planner.size(fleet).answer.nodes;
  await report.locator('body', { hasText: `Buy ${nodes} ×` }).waitFor();
  await report.locator('.plot svg').first().waitFor(); // charts are drawn once the page is there
  assert.deepEqual(faults, []);
  await close();
});

test('a value changed in the form is asked, and two variants are compared', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'buy_or_rent');
  await page.selectOption('#question', 'simulate');
  await page.click('#ask');
  await answered(page);
  await page.click('#copy');
  assert.equal(await page.locator('#variant-B').getAttribute('aria-pressed'), 'true');
  const nodes = page.locator('[data-pointer="/cluster/nodes"]');
  const fewer = Math.ceil(Number(await nodes.inputValue()) / 2);
  await nodes.fill(String(fewer));
  await nodes.blur();
  assert.equal(JSON.parse(await page.locator('#text').inputValue()).cluster.nodes, fewer);
  await page.click('#ask');
  await answered(page);
  await page.click('#compare');
  await page.locator('#message', { hasText: 'beside' }).waitFor();
  await page.frameLocator('#report').locator('body', { hasText: 'B: buy_or_rent.json' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('an error stands at its field, and in the text at its line', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'fleet_very_conservative');
  const deadline = page.locator('[data-pointer="/goal/deadline"]');
  await deadline.fill('14 lightyears');
  await deadline.blur();
  await page.click('#ask');
  await page.locator('#message.error', { hasText: 'lightyears' }).waitFor();
  assert.equal(await deadline.getAttribute('aria-invalid'), 'true');
  assert.match(await page.locator('.row .error').textContent(), /lightyears/);
  await page.click('#view-text');
  await page.locator('#text').fill('{\n  "name": "x",\n  "goal" 3\n}');
  await page.click('#ask');
  await page.locator('#message.error', { hasText: /:3:/ }).waitFor();
  const selected = await page.locator('#text').evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(selected, '3');
  assert.deepEqual(faults, []);
  await close();
});

test('an interactive report shows its result, and answers a changed question', { skip: noBrowser }, async () => {
  const path = file('interactive.html'), small = 'scenarios/buy_or_rent.json', name = '<!--<script>';
  execFileSync(program, ['simulate', small, '--set', `name="${name}"`, '-o', path, '--interactive']);
  const { page, faults, close } = await open({}, path, 'This is the report');
  await page.frameLocator('#report').locator('h1', { hasText: name }).waitFor();
  await page.locator('[data-pointer="/name"]').fill('Another name');
  await page.locator('[data-pointer="/name"]').blur();
  assert.equal(await page.locator('#question').inputValue(), 'simulate');
  await page.click('#ask');
  await answered(page);
  await page.frameLocator('#report').locator('h1', { hasText: 'Another name' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
  const elsewhere = join(folder, 'rackcast'); // where no page lies beside it
  copyFileSync(program, elsewhere);
  const none = spawnSync(elsewhere, ['simulate', small, '-o', file('none.html'), '--interactive'], { encoding: 'utf8' });
  assert.equal(none.status, 2);
  assert.match(none.stderr, /dev web/);
  assert.ok(!existsSync(file('none.html')));
  assert.equal(spawnSync(program, ['simulate', small, '-o', file('none.md'), '--interactive']).status, 2); // of .html alone
  assert.ok(!existsSync(file('none.md')));
});

/** The page's file with a fragment: what a report's link opens. */
const linked = (fragment) => `${pathToFileURL(resolve(folderOfPackage, 'rackcast.html')).href}#${fragment}`;
const base64url = (text) => Buffer.from(text).toString('base64url');

test('the link of a report opens the page with its scenario, and the page gives the same answer', { skip: noBrowser }, async () => {
  const name = 'Größe 🚗 "</script><img src=x onerror=alert(1)>', small = 'scenarios/buy_or_rent.json';
  copyFileSync(resolve(folderOfPackage, 'rackcast.html'), file('rackcast.html'));
  execFileSync(program, ['simulate', small, '--set', `name=${JSON.stringify(name)}`, '-o', file('linked.html'), '-o', file('linked.json')]);
  const result = JSON.parse(readFileSync(file('linked.json'), 'utf8'));
  const { page, faults, close } = await open({}, file('linked.html'), null);
  await page.click('.ask > summary');
  await page.getByRole('link', { name: 'Open it in the planner' }).click();
  await page.locator('#message', { hasText: 'buy_or_rent.json came with the address' }).waitFor();
  assert.deepEqual(JSON.parse(await page.locator('#text').inputValue()), result.scenario.text);
  assert.equal(await page.locator('[data-pointer="/name"]').inputValue(), name);
  assert.equal(await page.locator('#question').inputValue(), 'simulate');
  assert.equal(await page.locator('#report').isHidden(), true); // nothing is asked before the reader does
  await page.click('#ask');
  await answered(page);
  const answer = await page.evaluate(() => JSON.parse(variants[0].answer.document));
  assertSame(result.answer, answer.answer);
  assertSame(result.prediction, answer.prediction);
  await page.frameLocator('#report').locator('h1', { hasText: name }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('a fragment that brings no scenario is refused with a message, and runs nothing', { skip: noBrowser }, async () => {
  const encoded = (text) => `scenario=${base64url(text)}`;
  const good = JSON.stringify(scenarioOf(fleet));
  const hostile = {
    'scenario=': /is empty/, 'scenario': /is empty/, 'scenario=***': /base64url/, 'scenario=A': /base64url/, 'scenario=%00': /base64url/,
    'scenario=javascript:alert(1)': /base64url/, [`scenario=${Buffer.from([0x7b, 0xff, 0xfe]).toString('base64url')}`]: /not UTF-8/,
    [encoded('name: x')]: /not JSON/, [encoded('{"a": 1,}')]: /not JSON/, [encoded('<img src=x onerror=alert(1)>')]: /not JSON/,
    [encoded('[1]')]: /not a JSON object/, [encoded('null')]: /not a JSON object/, [encoded('"x"')]: /not a JSON object/,
    [encoded('['.repeat(1e6))]: /not JSON|no JSON/, [encoded('['.repeat(5e5) + ']'.repeat(5e5))]: /not a JSON object|no JSON/,
    [encoded('{"a":'.repeat(2e5) + '1' + '}'.repeat(2e5))]: /deep|no JSON/, [`${encoded(good)}&question=frobnicate`]: /question/,
  };
  const { page, faults, close } = await open();
  const before = await page.locator('#text').inputValue();
  for (const [fragment, said] of Object.entries(hostile)) {
    await page.evaluate(() => { get('message').textContent = ''; });
    await page.evaluate((hash) => { location.hash = hash; }, fragment);
    await page.locator('#message.error', { hasText: 'was refused' }).waitFor();
    assert.match(await page.locator('#message').textContent(), said, fragment.slice(0, 60));
    assert.equal(await page.locator('#text').inputValue(), before);
  }
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(faults, []);
  for (const [fragment, said] of [['scenario=***', 'was refused'], ['main', 'Ready']]) { // as a new page; the last is no link
    await page.goto('about:blank');
    await page.goto(linked(fragment));
    await page.locator('#message', { hasText: said }).waitFor();
    assert.equal(await page.locator('#text').inputValue(), before);
  }
  await close();
});

test('what the planner refuses of a linked scenario is said at its place, and the scenario stays to be mended', { skip: noBrowser }, async () => {
  const scenario = scenarioOf(fleet);
  const { page, faults, close } = await open();
  const follow = async (text, said, file = '') => {
    await page.evaluate(() => { get('message').textContent = ''; });
    await page.evaluate((hash) => { location.hash = hash; }, `scenario=${base64url(text)}${file}`);
    await page.locator('#message', { hasText: said }).waitFor();
  };
  await follow(JSON.stringify({ ...scenario, gaol: {}, __proto__x: 1 }), /gaol|__proto__x/);
  await follow('{"name": "x", "__proto__": {"polluted": 1}, "constructor": {}}', /__proto__|constructor/);
  assert.equal(await page.evaluate(() => ({}).polluted), undefined);
  await follow(JSON.stringify({ ...scenario, goal: { deadline: '14 lightyears' } }), 'lightyears');
  assert.match(await page.locator('.row .error').textContent(), /lightyears/);
  await follow(JSON.stringify({ ...scenario, extends: 'base.json' }), 'names files');
  await follow(`{"many": [${'[],'.repeat(2e5)}[]]}`, /many/); // too much for a form: the text is shown
  assert.equal(await page.locator('#form').isHidden(), true);
  await follow(JSON.stringify(scenario), 'own.json came with the address', '&file=..%2F..%2Fown.json');
  await page.locator('#view-form:not([disabled])').click();
  await follow(JSON.stringify(scenario, null, 1), 'scenario.json came with the address', '&file=%22%3E%3Cimg%20src%3Dx%3E');
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('an answer to what was asked before a change is not shown as that of the change', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'fleet_very_conservative');
  await page.click('#ask');
  await page.selectOption('#example', 'imagenet_mn1');
  await page.locator('#message', { hasText: 'has changed since' }).waitFor();
  assert.equal(await page.locator('#report').isHidden(), true);
  assert.equal(await page.locator('#variant-A').textContent(), 'A');
  assert.deepEqual(faults, []);
  await close();
});

test('scenario and report are saved, and a saved scenario is opened', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'buy_or_rent');
  await page.selectOption('#question', 'simulate');
  await page.click('#ask');
  await answered(page);
  const saved = async (button) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    await download.saveAs(file(download.suggestedFilename()));
    return [download.suggestedFilename(), readFileSync(file(download.suggestedFilename()), 'utf8')];
  };
  const [name, scenario] = await saved('#save');
  assert.equal(name, 'buy_or_rent.json');
  assert.equal(scenario, readFileSync('scenarios/buy_or_rent.json', 'utf8'));
  const [reportName, report] = await saved('#save-report');
  assert.equal(reportName, 'buy_or_rent.html');
  assert.match(report, /^<!doctype html>/i);
  await page.selectOption('#example', 'saturn_v');
  assert.match(await page.locator('#shown').textContent(), /buy_or_rent\.json, before the last change/);
  await page.setInputFiles('#open', file('buy_or_rent.json'));
  await page.locator('[data-pointer="/name"]').waitFor();
  await page.waitForFunction((text) => document.getElementById('text').value === text, scenario);
  assert.deepEqual(faults, []);
  await close();
});

test('the form writes numbers as numbers, and keeps what is wrong in sight', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'fleet_very_conservative');
  const scenario = async () => JSON.parse(await page.locator('#text').inputValue());
  const vehicles = page.locator('[data-pointer="/data/fleet/vehicles"]');
  for (const [typed, kept] of [['50', 50], ['1e2', 100], ['1.2.3', '1.2.3'], ['1e999', '1e999'], ['', ''], ['5..9', '5..9']]) {
    await vehicles.fill(typed);
    await vehicles.blur();
    assert.deepEqual((await scenario()).data.fleet.vehicles, kept);
  }
  await page.click('#view-text');
  await page.locator('#text').fill('{"name": "x", "goal": {"objective": "cheapest"}}');
  await page.click('#view-form');
  const objective = page.locator('[data-pointer="/goal/objective"]');
  assert.equal(await objective.locator('option:checked').textContent(), 'cheapest');
  await objective.selectOption({ label: 'fastest' });
  assert.equal((await scenario()).goal.objective, 'fastest');
  assert.deepEqual(faults, []);
  await close();
});

test('a long question can be stopped, and the next one is answered', { skip: noBrowser }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('#example', 'llm_serving');
  await page.click('#ask');
  await page.click('#cancel');
  await page.locator('#message', { hasText: 'Ready' }).waitFor();
  await page.selectOption('#example', 'imagenet_mn1');
  await page.selectOption('#question', 'check');
  await page.click('#ask');
  await answered(page);
  assert.match(await page.locator('#table').textContent(), /no errors/);
  assert.deepEqual(faults, []);
  await close();
});

test('hostile names run nothing', { skip: noBrowser }, async () => {
  const hostile = '</script><img src=x onerror=alert(1)>"\'&<!--';
  const { page, faults, close } = await open();
  await page.click('#view-text');
  const scenario = { ...scenarioOf('scenarios/saturn_v.json'), name: hostile, description: hostile };
  await page.locator('#text').fill(JSON.stringify(scenario));
  await page.selectOption('#question', 'simulate');
  await page.click('#ask');
  await answered(page);
  await page.click('#view-form');
  assert.equal(await page.locator('[data-pointer="/name"]').inputValue(), hostile);
  await page.frameLocator('#report').locator('body', { hasText: hostile }).waitFor();
  assert.equal(await page.frameLocator('#report').locator('img').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

for (const [width, colorScheme] of [[1600, 'light'], [400, 'dark']])
  test(`no serious accessibility finding and no sideways scrolling at ${width} px, ${colorScheme}`, { skip: noBrowser }, async () => {
    const { page, close } = await open({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    await close();
  });

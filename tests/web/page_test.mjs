// The report as a reader has it: opened in headless Chromium, its sliders moved, its accessibility checked, printed.
// Usage: node page_test.mjs PROGRAM NODE_MODULES CHROMIUM, from the root of the tree.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const [program, modules, browserPath] = process.argv.slice(2);
const require = createRequire(resolve(modules, 'none.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'rackcast-page-'));
const file = (name) => join(folder, name);
const scenario = 'scenarios/fleet_very_conservative.json';
const hostile = '</script><img src=x onerror=alert(1)>"\'&<!--';
// A site with everything: prices, failures, ranges.
const site = ['scenarios/power_limited_site.json', '--set', 'site.prices={"date":"2024-06-30"}',
  '--set', 'failures={"checkpoint_stall":"30 s"}', '--set', 'workloads.0.epochs="8..12"'];
// Texts that a result document may carry from elsewhere.
const spoils = ['system', 'framework', 'name', 'input', 'low_text', 'product', 'source', 'statement', 'instance', 'interval_rule', 'gpu_model', 'missing', 'title'];
let browser, result;

before(async () => {
  execFileSync(program, ['size', scenario, '-o', file('page.html'), '-o', file('result.json')]);
  execFileSync(program, ['size', scenario, '--set', `name=${JSON.stringify(hostile)}`, '-o', file('hostile.html')]);
  execFileSync(program, ['size', ...site, '-o', file('site.html'), '-o', file('site.json')]);
  const spoilt = JSON.stringify(JSON.parse(readFileSync(file('site.json'), 'utf8')), (key, value) =>
    spoils.includes(key) && typeof value === 'string' ? hostile + value : value);
  writeFileSync(file('spoilt.json'), spoilt);
  execFileSync(program, ['report', file('spoilt.json'), '-o', file('spoilt.html')]);
  execFileSync(program, ['campaign', 'scenarios/dgx_pod_team_dgx1.json', '-o', file('campaign.html')]);
  execFileSync(program, ['size', 'scenarios/inference_fleet.json', '-o', file('serving.html')]);
  const none = spawnSync(program, ['size', 'scenarios/storage_bound_site.json', '-o', file('infeasible.html')]);
  assert.equal(none.status, 4); // no number of nodes keeps the limits
  result = JSON.parse(readFileSync(file('result.json'), 'utf8'));
  browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/// Opens a page and collects what it must not do.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1200 }, bypassCSP: true, ...options });
  context.setDefaultTimeout(15000);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => request.url().startsWith('file:') || faults.push(`request: ${request.url()}`));
  await page.goto(pathToFileURL(file(name)).href);
  await page.waitForFunction(() => [...document.querySelectorAll('.plot')].every((p) => p.querySelector('svg')));
  return { page, faults, close: () => context.close() };
}

test('the page draws its charts, asks nothing of anyone and reports no error', async () => {
  assert.ok(statSync(file('page.html')).size < 3e6);
  const { page, faults, close } = await open('page.html', { bypassCSP: false });
  const plots = await page.locator('.plot svg').count();
  assert.ok(plots >= 8, `${plots} charts`);
  for (const box of await page.locator('.plot svg').evaluateAll((all) => all.map((s) => s.getBoundingClientRect().width)))
    assert.ok(box > 300);
  assert.deepEqual(faults, []);
  await close();
});

test('a slider, moved by keyboard, changes the answer to about what a run of its own gives', async () => {
  const { page, faults, close } = await open('page.html', { bypassCSP: false });
  const answer = page.locator('#what-if-answer');
  const asked = `${result.answer.nodes} × ${result.answer.node_title}`;
  assert.equal(await answer.textContent(), asked);
  await page.locator('#what-if-deadline').focus();
  for (let i = 0; i < 10; ++i) await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('#what-if-deadline-value').textContent(), '28 days');
  const doubled = result.answer.changes.find((c) => c.change === '28 days');
  const [, nodes] = /^(\d+) × /.exec(await answer.textContent());
  assert.ok(Math.abs(nodes - doubled.nodes) <= 1, `${nodes} beside the simulated ${doubled.nodes}`); // it interpolates
  assert.notEqual(Number(nodes), result.answer.nodes);
  assert.match(await page.locator('#what-if-quality').textContent(), /^Approximate/);
  await page.getByRole('button', { name: 'As asked' }).click();
  await page.waitForFunction((text) => document.getElementById('what-if-answer').textContent === text, asked);
  await page.locator('#what-if-epochs').fill('10');
  await page.locator('#what-if-data').fill('10');
  assert.match(await answer.textContent(), /^More than \d+ ×/); // past what was simulated it does not guess
  assert.deepEqual(faults, []);
  await close();
});

test('every slider is reached by Tab, moved by the keyboard alone, and says its value to a screen reader', async () => {
  const { page, faults, close } = await open('site.html', { bypassCSP: false });
  const ids = await page.locator('#what-if input[type=range]').evaluateAll((all) => all.map((i) => i.id));
  assert.ok(ids.length >= 5, ids.join());
  const focused = () => page.evaluate(() => document.activeElement.id);
  await page.locator(`#${ids[0]}`).focus();
  for (const [i, id] of ids.entries()) {
    if (i > 0) await page.keyboard.press('Tab');
    assert.equal(await focused(), id); // in the order of the page
    const slider = page.locator(`#${id}`);
    assert.notEqual(await slider.evaluate((e) => getComputedStyle(e).outlineStyle), 'none', id); // the focus is seen
    const named = await slider.evaluate((e) => e.labels.length > 0 || e.hasAttribute('aria-label') || e.hasAttribute('aria-labelledby'));
    assert.ok(named, id);
    const shown = page.locator(`#${id}-value`);
    const before = await shown.textContent();
    await page.keyboard.press('End');
    const after = await shown.textContent();
    assert.notEqual(after, before, id);
    assert.equal(await slider.getAttribute('aria-valuetext'), after);
    await page.keyboard.press('Home');
    assert.notEqual(await shown.textContent(), after, id);
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // "As asked"
  await page.waitForFunction(() => document.getElementById('what-if-quality').textContent.startsWith('As asked'));
  assert.equal(await page.locator('#what-if [aria-live]').count() > 0, true); // the changed answer is announced
  assert.deepEqual(faults, []);
  await close();
});

test('a campaign has its power over a day, from the simulated use', async () => {
  const { page, faults, close } = await open('campaign.html', { bypassCSP: false });
  assert.ok(await page.locator('#power .plot svg').count() >= 3);
  const words = await page.locator('#power').textContent();
  assert.match(words, /Over a day the IT draws most, [\d.]+ kW/);
  assert.match(words, /of its nameplate of [\d.]+ kW/);
  assert.deepEqual(faults, []);
  await close();
});

test('sliders of GPUs and of the power price change time, energy and cost', async () => {
  const { page, faults, close } = await open('site.html', { bypassCSP: false });
  const lines = () => page.locator('#what-if-workloads li').allTextContents();
  const before = await lines();
  assert.ok(before.some((line) => /^Energy of a year: .* USD$/.test(line)), before.join('|'));
  await page.locator('#what-if-price').fill('10'); // twice the price
  const usd = (all) => Number(/([\d.,]+) USD/.exec(all.find((line) => line.startsWith('Energy')))[1].replaceAll(',', ''));
  const dearer = await lines();
  assert.ok(Math.abs(usd(dearer) / usd(before) - 2) < 0.02, `${usd(before)} to ${usd(dearer)}`);
  assert.ok(dearer.filter((line) => line.includes('USD')).every((line) => line.endsWith('(approximate)')));
  await page.locator('#what-if-gpus').fill('10'); // twice the GPUs: a computed size
  assert.match(await page.locator('#what-if-quality').textContent(), /^Enough for the deadline; this size was simulated/);
  assert.notEqual((await lines())[0], before[0]);
  await page.locator('#what-if-gpus').fill('-10');
  assert.match(await page.locator('#what-if-quality').textContent(), /^Too few for the deadline/);
  assert.deepEqual(faults, []);
  await close();
});

test('a simulated size with other epochs is marked as approximate', async () => {
  const { page, faults, close } = await open('site.html', { bypassCSP: false });
  const quality = () => page.locator('#what-if-quality').textContent();
  const days = async () => {
    const [, value, unit] = /, ([\d.]+) (days|h|min)/.exec(await page.locator('#what-if-workloads li').first().textContent());
    return value / { days: 1, h: 24, min: 1440 }[unit];
  };
  await page.locator('#what-if-gpus').fill('10'); // twice the GPUs: a computed size
  assert.match(await quality(), /^Enough for the deadline; this size was simulated\.$/);
  const asked = await days();
  await page.locator('#what-if-epochs').fill('-10'); // half the epochs
  assert.match(await quality(), /approximate: this size was simulated for the work as asked, the rate is taken to stay the same\.$/);
  assert.ok(Math.abs((await days()) / asked - 0.5) < 0.02, `${await days()} of ${asked}`);
  await page.locator('#what-if-gpus').fill('0'); // the need again
  for (let notch = -10; notch <= 10; ++notch) {
    await page.locator('#what-if-epochs').fill(String(notch));
    if ((await page.locator('#what-if-answer').textContent()).startsWith('More than')) continue;
    assert.match(await quality(), notch === 0 ? /^As asked: these sizes were simulated/ : /^Approximate/, `notch ${notch}`);
  }
  assert.deepEqual(faults, []);
  await close();
});

test('legends show dashed lines as dashed, and wide drawings say that they scroll', async () => {
  const { page, close } = await open('page.html', { bypassCSP: false });
  const dashes = await page.locator('#performance .plot.lines .role-legend-symbol path, #plan .plot.lines .role-legend-symbol path')
    .evaluateAll((all) => all.map((p) => p.getAttribute('stroke-dasharray')).filter(Boolean));
  assert.ok(dashes.some((d) => d === '7,5' || d === '2,4'), dashes.join('; '));
  await close();
  const narrow = await open('page.html', { viewport: { width: 400, height: 900 } });
  const drawings = await narrow.page.locator('.drawing').evaluateAll((all) => all.filter((d) => d.scrollWidth > d.clientWidth)
    .map((d) => getComputedStyle(d, '::before').content));
  assert.ok(drawings.length > 0);
  for (const hint of drawings) assert.match(hint, /Scroll sideways/);
  await narrow.close();
});

test('the box says on which day the work is done', async () => {
  execFileSync(program, ['size', 'scenarios/power_limited_site.json', '--set', 'start="2019-06-28"', '-o', file('dated.html'),
    '-o', file('dated.json')]);
  const dated = JSON.parse(readFileSync(file('dated.json'), 'utf8'));
  const { page, faults, close } = await open('dated.html', { bypassCSP: false });
  const box = await page.locator('#decision .facts').textContent();
  const days = dated.prediction.time_to_train_s.value / 86400;
  const day = new Date(Date.UTC(2019, 5, 28 + Math.floor(days)));
  const words = day.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  assert.ok(box.includes(`Done${words}`), `${box} without ${words}`);
  assert.ok(box.includes('started on 28 June 2019'), box);
  assert.deepEqual(faults, []);
  await close();
});

test('the report of a site has every section, in order', async () => {
  const { page, faults, close } = await open('site.html', { bypassCSP: false });
  const ids = await page.locator('main > section').evaluateAll((all) => all.map((s) => s.id));
  const wanted = ['decision', 'reasons', 'what-if', 'ladder', 'performance', 'racks', 'power', 'network', 'reliability', 'cost',
    'sensitivity', 'risks', 'assumptions', 'bill', 'reproduce'];
  assert.deepEqual(ids.filter((id) => wanted.includes(id)), wanted);
  for (const [id, least] of [['racks', 2], ['network', 2], ['performance', 1]])
    assert.ok(await page.locator(`#${id} .drawing svg`).count() >= least, id);
  for (const id of ['power', 'reliability', 'cost', 'sensitivity'])
    assert.ok(await page.locator(`#${id} .plot svg`).count() >= 1, id);
  assert.deepEqual(faults, []);
  await close();
});

test('measured trainings stand beside the prediction, with interval and source', async () => {
  const { page, faults, close } = await open('page.html', { bypassCSP: false });
  const nearest = result.workloads[0].evidence.nearest;
  assert.ok(nearest.length >= 3);
  const table = page.locator('#performance table', { hasText: 'the nearest measured trainings' }).first();
  assert.equal(await table.locator('tbody tr').count(), nearest.length);
  const words = await table.locator('tbody tr').first().textContent();
  assert.ok(words.includes(nearest[0].system) && words.includes(nearest[0].source), words);
  const inside = nearest.filter((n) => n.speed_ratio.low <= 1 && n.speed_ratio.high >= 1).length;
  assert.match(await page.locator('#performance').textContent(), new RegExp(`${inside} of ${nearest.length} measurements lie within`));
  assert.deepEqual(faults, []);
  await close();
});

test('the step is drawn, in letters that stay readable on paper', async () => {
  const { page, close } = await open('page.html', { viewport: { width: 688, height: 900 } }); // A4 between its margins
  await page.emulateMedia({ media: 'print' });
  const heights = await page.locator('#performance svg.timeline text.lane').evaluateAll((all) => all.map((t) => t.getBoundingClientRect().height));
  assert.ok(heights.length >= 3);
  for (const height of heights) assert.ok(height >= 10, `${height} px`); // 7.5 pt
  await close();
});

test('hostile texts of a result document are shown as they are written and run nothing', async () => {
  const { page, faults, close } = await open('spoilt.html', { bypassCSP: false });
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('#risks').textContent()).length > 0);
  assert.ok((await page.locator('#network').textContent()).includes(hostile));
  assert.deepEqual(faults, []);
  await close();
});

for (const [width, colorScheme] of [[1600, 'light'], [1600, 'dark'], [400, 'light'], [400, 'dark']]) {
  for (const name of ['page', 'site', 'campaign', 'serving', 'infeasible']) test(`${name}: no serious accessibility finding and no sideways scrolling at ${width} px, ${colorScheme}`, async () => {
    const { page, close } = await open(`${name}.html`, { viewport: { width, height: 900 }, colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    await close();
  });
}

test('a hostile name is shown as it is written and runs nothing', async () => {
  const { page, faults, close } = await open('hostile.html', { bypassCSP: false });
  assert.equal(await page.locator('h1').textContent(), hostile);
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('the first Tab reaches the skip link, and it leads to the answer', async () => {
  const { page, close } = await open('page.html', { bypassCSP: false });
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the answer');
  await page.keyboard.press('Enter');
  assert.match(page.url(), /#main$/);
  await close();
});

test('the PDF has the decision, page numbers, the charts and its fonts', () => {
  execFileSync(program, ['report', file('result.json'), '-o', file('report.pdf')]);
  const text = execFileSync('pdftotext', ['-layout', file('report.pdf'), '-'], { encoding: 'utf8' });
  assert.ok(text.includes(`${result.answer.nodes} × ${result.answer.node_title}`));
  assert.match(text, /Page 1 of \d+/);
  const pages = text.split('\f'); // the decision is the first page, and all of it is there
  assert.ok(pages[0].includes('What more certainty costs') && pages[0].includes('are from memory, unverified'), pages[0]);
  assert.ok(pages[1].trimStart().startsWith('Why, and what would change it'), pages[1].slice(0, 200));
  assert.ok(text.includes('Time to train (days)')); // the title of an axis: the charts are drawn
  const fonts = execFileSync('pdffonts', [file('report.pdf')], { encoding: 'utf8' }).trim().split('\n').slice(2);
  assert.ok(fonts.length > 0);
  for (const font of fonts) assert.match(font, /\s+yes (yes|no)\s+(yes|no)\s+\d+\s+\d+$/);
});

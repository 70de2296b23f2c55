// The report as a reader has it: opened in headless Chromium, its choices made, its accessibility checked, printed.
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
const spoils = ['system', 'framework', 'name', 'input', 'low_text', 'product', 'source', 'statement', 'instance', 'interval_rule', 'gpu_model', 'missing', 'title',
  'profile', 'array', 'link', 'region', 'tariff', 'cooling', 'plant', 'measured'];
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
  await page.evaluate(() => document.querySelectorAll('details.fold, details.ask').forEach((fold) => { fold.open = true; }));
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

test('each setting of the what-if shows the outcome that the engine computed for it, and no other', async () => {
  const { page, faults, close } = await open('page.html', { bypassCSP: false });
  const answer = page.locator('#what-if-answer');
  const asked = `${result.answer.nodes} × ${result.answer.node_title}`;
  assert.equal(await answer.textContent(), asked);
  const { inputs, outcomes } = result.plan.what_if;
  for (let at = 0; at < outcomes.length; at += 7) {
    let rest = at;
    for (let i = inputs.length - 1; i >= 0; --i) {
      const values = inputs[i].values.length;
      await page.locator(`#what-if-${i}`).selectOption(String(rest % values));
      rest = Math.floor(rest / values);
    }
    const computed = outcomes[at].answer;
    const words = computed ? `${computed.nodes} × ${computed.node_title}` : 'No configuration within the limits';
    assert.equal(await answer.textContent(), words, `outcome ${at}`);
  }
  await page.getByRole('button', { name: 'As asked' }).click();
  await page.waitForFunction((text) => document.getElementById('what-if-answer').textContent === text, asked);
  assert.deepEqual(faults, []);
  await close();
});

test('another value is refused with the command that answers it', async () => {
  const { page, faults, close } = await open('page.html', { bypassCSP: false });
  await page.locator('#what-if-0').selectOption('other');
  assert.equal(await page.locator('#what-if-answer').textContent(), 'Not computed on this page');
  assert.match(await page.locator('#what-if-facts').textContent(), /rackcast size SCENARIO --set goal\.deadline=/);
  assert.deepEqual(faults, []);
  await close();
});

test('every choice is reached by Tab, made by the keyboard alone, and its answer is announced', async () => {
  const { page, faults, close } = await open('site.html', { bypassCSP: false });
  const ids = await page.locator('#what-if-form select').evaluateAll((all) => all.map((i) => i.id));
  assert.ok(ids.length >= 2, ids.join());
  await page.locator(`#${ids[0]}`).focus();
  for (const [i, id] of ids.entries()) {
    if (i > 0) await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), id); // in the order of the page
    const choice = page.locator(`#${id}`);
    assert.notEqual(await choice.evaluate((e) => getComputedStyle(e).outlineStyle), 'none', id); // the focus is seen
    assert.ok(await choice.evaluate((e) => e.labels.length > 0), id);
    const before = await choice.inputValue();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await choice.inputValue(), before, id);
  }
  assert.ok(await page.locator('#what-if [aria-live]').count() > 0);
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
  const ids = await page.locator('main > section').evaluateAll((all) => all.map((s) => s.id || s.querySelector('.fold > div').id));
  const wanted = ['decision', 'odds', 'what-if', 'performance', 'network', 'racks', 'reasons', 'sensitivity', 'risks', 'assumptions',
    'ladder', 'reliability', 'power', 'cost', 'bill', 'reproduce'];
  assert.deepEqual(ids.filter((id) => wanted.includes(id)), wanted);
  for (const [id, least] of [['racks', 1], ['racks-details', 1], ['network', 1], ['network-details', 1], ['performance', 1]])
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
  const table = page.locator('#evidence table', { hasText: 'the nearest measured trainings' }).first();
  assert.equal(await table.locator('tbody tr').count(), nearest.length);
  const words = await table.locator('tbody tr').first().textContent();
  assert.ok(words.includes(nearest[0].system) && words.includes(nearest[0].source), words);
  const inside = nearest.filter((n) => n.speed_ratio.low <= 1 && n.speed_ratio.high >= 1).length;
  assert.match(await page.locator('#evidence').textContent(), new RegExp(`${inside} of ${nearest.length} measurements lie within`));
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

for (const [name, question] of [['page', 'size'], ['campaign', 'campaign'], ['serving', 'size'], ['hostile', 'size']])
  test(`${name}: the scenario of the answer is saved from the page, and the program answers it with the command beside it`, async () => {
    const { page, faults, close } = await open(`${name}.html`, { bypassCSP: false });
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save the scenario' }).click()]);
    await download.saveAs(file(`saved/${download.suggestedFilename()}`));
    const command = await page.locator('.ask .command').textContent();
    assert.match(command, new RegExp(`^rackcast ${question} \\S+\\.json -o \\S+\\.html$`));
    const again = spawnSync(resolve(program), [...command.split(' ').slice(1, 3), '--json'], { cwd: file('saved'), encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.equal(again.status, 0, again.stderr);
    if (name === 'page') assert.deepEqual(JSON.parse(again.stdout).answer, result.answer);
    if (name === 'hostile') assert.equal(JSON.parse(again.stdout).scenario.name, hostile);
    assert.equal(await page.locator('.ask a[href*="scenario="]').count(), 0); // no planner lies beside this report
    assert.deepEqual(faults, []);
    await close();
  });

test('the ways to ask again are folded, opened by the keyboard, and not on paper', async () => {
  const context = await browser.newContext({ viewport: { width: 400, height: 900 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file('page.html')).href);
  const summary = page.locator('.ask > summary'), save = page.getByRole('link', { name: 'Save the scenario' });
  assert.equal(await save.isVisible(), false);
  await summary.focus();
  await page.keyboard.press('Enter');
  assert.equal(await save.isVisible(), true);
  assert.ok((await save.boundingBox()).height >= 24);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 400);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await summary.isVisible(), false);
  await context.close();
});

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
  await page.waitForURL(/#main$/);
  await close();
});

test('the PDF has the decision, page numbers, the charts and its fonts', () => {
  execFileSync(program, ['report', file('result.json'), '-o', file('report.pdf')]);
  const text = execFileSync('pdftotext', ['-layout', file('report.pdf'), '-'], { encoding: 'utf8' });
  assert.ok(text.includes(`${result.answer.nodes} × ${result.answer.node_title}`));
  assert.match(text, /Page 1 of \d+/);
  const pages = text.split('\f'); // the decision is the first page, and all of it is there
  assert.ok(pages[0].includes('What more certainty costs') && pages[0].includes('are from memory, unverified'), pages[0]);
  assert.ok(pages[1].trimStart().startsWith('Understand'), pages[1].slice(0, 200));
  assert.ok(pages.findIndex((p) => p.includes('Appendix: Audit')) <= 12); // what one reads, and then what one checks
  assert.ok(text.includes('Time to train (days)')); // the title of an axis: the charts are drawn
  const fonts = execFileSync('pdffonts', [file('report.pdf')], { encoding: 'utf8' }).trim().split('\n').slice(2);
  assert.ok(fonts.length > 0);
  for (const font of fonts) assert.match(font, /\s+yes (yes|no)\s+(yes|no)\s+\d+\s+\d+$/);
});

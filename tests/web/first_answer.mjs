// How long a reader waits for the first answer of the planner's page, and of a report that carries it, in headless
// Chromium. Usage: node first_answer.mjs PROGRAM PACKAGE NODE_MODULES CHROMIUM [RUNS [QUESTION SCENARIO]], from the root of
// the tree. Each run is a browser of its own, so nothing is compiled or cached before. It prints the middle of the runs, and
// fails on no time.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, folderOfPackage, modules, browserPath, runs = '5', question = 'size', name = 'fleet_very_conservative'] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, 'none.js'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'rackcast-first-'));
const interactive = join(folder, 'interactive.html');

/** Seconds from opening the page to each of its marks, with what comes after Answer is pressed as soon as one can. */
async function timed(path, shownFirst) {
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120000);
    await page.goto(pathToFileURL(path).href, { waitUntil: 'commit' });
    if (!shownFirst) {
      await page.selectOption('#example', name);
      await page.selectOption('#question', question);
    }
    return await page.evaluate(async (last) => {
      const has = (name) => performance.getEntriesByName(name).length > 0;
      const until = async (name) => { while (!has(name)) await new Promise((done) => setTimeout(done, 5)); };
      await until(last);
      const button = document.getElementById('ask');
      while (button.disabled) await new Promise((done) => setTimeout(done, 5));
      performance.mark('pressed');
      button.click();
      await until('answered');
      const at = (name) => performance.getEntriesByName(name)[0]?.startTime / 1000;
      return Object.fromEntries(['drawn', 'unpacked', 'ready', 'shown', 'pressed', 'answered'].map((name) => [name, at(name)]));
    }, shownFirst ? 'shown' : 'ready');
  } finally {
    await browser.close();
  }
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function report(title, path, shownFirst) {
  const all = [];
  for (let run = 0; run < Number(runs); ++run) all.push(await timed(path, shownFirst));
  const parts = [['read and draw the form', 'drawn', null], ['unpack the module', 'unpacked', 'drawn'], ['compile and start it', 'ready', 'unpacked'],
    ...(shownFirst ? [['show the report', 'shown', 'ready']] : []), ['answer', 'answered', 'pressed']];
  console.log(`${title} (${(statSync(path).size / 1e6).toFixed(1)} MB)`);
  for (const [name, end, begin] of parts) console.log(`  ${name}: ${middle(all.map((one) => one[end] - (begin ? one[begin] : 0))).toFixed(2)} s`);
  if (shownFirst) console.log(`  first report after ${middle(all.map((one) => one.shown)).toFixed(2)} s`);
  console.log(`  first answer after ${middle(all.map((one) => one.answered)).toFixed(2)} s`);
}

execFileSync(program, [question, `scenarios/${name}.json`, '-o', interactive, '--interactive']);
try {
  console.log(`${question} of ${name}, the middle of ${runs}`);
  await report('rackcast.html', resolve(folderOfPackage, 'rackcast.html'), false);
  await report('report with --interactive', interactive, true);
} finally {
  rmSync(folder, { recursive: true });
}

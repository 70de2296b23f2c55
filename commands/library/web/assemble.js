'use strict';
// node assemble.js SOURCE PACKAGE VERSION: lays the npm package and the page beside the module in PACKAGE.
// SOURCE is the source tree.
const { createHash } = require('node:crypto');
const { copyFileSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { gzipSync } = require('node:zlib');

const [source, built, version] = process.argv.slice(2);
const own = (name) => readFileSync(join(source, 'commands/library/web', name), 'utf8');

for (const name of ['planner.js', 'cli.js', 'README.md']) copyFileSync(join(source, 'commands/library/web', name), join(built, name));
for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(source, name), join(built, name));
writeFileSync(join(built, 'package.json'), `${JSON.stringify({ ...JSON.parse(own('package.json')), version }, null, 2)}\n`);

/** JSON inside a script element: no "<" of its own begins or ends anything there. */
const inside = (json) => json.replaceAll('<', '\\u003c');

/** A script that is known to be harmless there. */
function harmless(text) {
  if (/<!--|<\/?script/i.test(text)) throw new Error('a script that would end its element');
  return text;
}

const examples = Object.fromEntries(readdirSync(join(source, 'scenarios')).filter((name) => name.endsWith('.json')).sort()
  .map((name) => [name.slice(0, -5), readFileSync(join(source, 'scenarios', name), 'utf8')]));
const script = `'use strict';\n${['form', 'link', 'page'].map((name) => own(`page/${name}.js`)).join('')}`;
// A report is shown inside the page, under the page's policy: its own two scripts are allowed by their hashes, too.
const reportScripts = ['library.js.hash', 'page.js.hash'].flatMap((name) => {
  try { return [`'${readFileSync(join(built, '../reports/page', name), 'utf8').trim()}'`]; } catch { return []; }
});
const policy = [
  "default-src 'none'", "style-src 'unsafe-inline'", 'img-src data:', 'worker-src blob:', 'frame-src blob:', "base-uri 'none'", "form-action 'none'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}' ${reportScripts.join(' ')} 'wasm-unsafe-eval'`,
].join('; ');
const parts = {
  policy, version, style: own('page/page.css'), script: harmless(script),
  schema: inside(JSON.stringify(JSON.parse(readFileSync(join(source, 'scenarios/schema/scenario.schema.json'), 'utf8')))),
  examples: inside(JSON.stringify(examples)),
  worker: harmless([readFileSync(join(built, 'rackcast.js'), 'utf8'), own('planner.js').replace("'use strict';\n", ''), own('page/worker.js').replace("'use strict';\n", '')].join('\n')),
  engine: gzipSync(readFileSync(join(built, 'rackcast.wasm')), { level: 9 }).toString('base64'),
};
const page = own('page/page.html').replace(/@(\w+)@/g, (whole, name) => parts[name] ?? whole);
writeFileSync(join(built, 'rackcast.html'), page);

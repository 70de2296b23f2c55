// The scenario that an address brings: rackcast.html#scenario=BASE64URL&question=size&file=fleet.json. Reports link so
// (reports/writers/html_ask_again.cpp). It is data: it is read and shown, and asked when the reader presses Answer.

const longestScenario = 16e6; // bytes, as of a file that is opened

/** Whether a scenario names files, which no page sees. reports/pages/ask_again.cpp has the same rule. */
function namesFiles(value, key = '') {
  if (['name', 'title', 'description', 'source', 'note', '$schema'].includes(key)) return false;
  if (typeof value === 'string') return ['extends', 'calibration', 'kineto', 'chakra', 'file'].includes(key) || value.endsWith('.json');
  if (Array.isArray(value)) return value.some((one) => namesFiles(one, key));
  return value !== null && typeof value === 'object' && Object.entries(value).some(([name, one]) => namesFiles(one, name));
}

/** Of millions of letters, too: a loop takes a tenth of the time of Uint8Array.from. */
function bytesOfBase64(base64) {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; ++at) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** The text of base64url, which must be UTF-8. */
function textOfBase64url(letters) {
  const plain = letters.replace(/={0,2}$/, '');
  if (!/^[\w-]*$/.test(plain) || plain.length % 4 === 1) throw new Error('it is not written in base64url');
  if (plain.length > longestScenario * 4 / 3) throw new Error('it is larger than a scenario can be: 16 MB');
  const bytes = bytesOfBase64(plain.replaceAll('-', '+').replaceAll('_', '/'));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8');
  }
}

/**
 * What a fragment ("#scenario=...") brings: { text, file, question, needsFiles }; null where it is of something else.
 * Throws Error with a message for the reader. `questions`: those that the page knows.
 */
function linkedScenario(fragment, questions) {
  const parts = new URLSearchParams(fragment.slice(1));
  if (!parts.has('scenario')) return null;
  const letters = parts.get('scenario');
  if (letters === '') throw new Error('it is empty');
  const text = textOfBase64url(letters);
  let scenario;
  try {
    scenario = parsed(text);
  } catch (error) {
    throw new Error(error instanceof SyntaxError ? `it is not JSON: ${error.message}` : 'it is no JSON that can be read');
  }
  if (scenario === null || typeof scenario !== 'object' || Array.isArray(scenario)) throw new Error('it is not a JSON object');
  if (extentOf(scenario).depth > deepestScenario) throw new Error(`objects and arrays stand more than ${deepestScenario} deep in one another`);
  const question = parts.get('question') ?? 'size';
  if (!questions.includes(question)) throw new Error('its question is none that this page answers');
  const name = (parts.get('file') ?? '').replace(/^.*[/\\]/s, '').replace(/[^\p{L}\p{N} ._-]/gu, '-').slice(0, 120);
  return { text, question, file: /^[^.-].*\.json$/.test(name) ? name : 'scenario.json', needsFiles: namesFiles(scenario) };
}

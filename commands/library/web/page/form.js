// A form of a scenario, made from its schema: a field for each value, with unit, hint, and the error where it is.

const schema = JSON.parse(document.getElementById('schema').textContent);

/** The part of the schema that describes a value: references followed, of alternatives the one of the value's type. */
function described(part, value) {
  let rule = part ?? {};
  while (rule.$ref) rule = rule.$ref.slice(2).split('/').reduce((at, key) => at?.[key], schema) ?? {};
  for (const kind of ['anyOf', 'oneOf'])
    if (rule[kind] && !rule.properties) {
      const all = rule[kind].map((one) => described(one, value));
      rule = { ...rule, ...(all.find((one) => [one.type].flat().includes(typeOf(value))) ?? all[0]) };
    }
  return rule;
}

function typeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value;
}

/** The scenario of a text, which may have comments. Throws SyntaxError. */
const parsed = (text) => JSON.parse(text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' ')));

const deepestScenario = 64; // objects and arrays in one another, as the planner reads them
const mostFields = 5000;    // of a form that a browser still draws at once

/** How many objects and arrays stand in one another, and how many values there are. Without recursion, whatever is given. */
function extentOf(value) {
  let depth = 0, values = 0;
  for (let level = [value]; level.length > 0 && depth <= deepestScenario + 1; ++depth) {
    values += level.length;
    level = level.filter((one) => one !== null && typeof one === 'object').flatMap((one) => Object.values(one));
  }
  return { depth: depth - 1, values };
}

const words = (name) => name.replaceAll('_', ' ');
const pointerOf = (path) => path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function element(tag, properties = {}, ...children) {
  const out = Object.assign(document.createElement(tag), properties);
  out.append(...children.filter((child) => child !== null));
  return out;
}

/** What a field starts with when it is added. */
function startOf(rule) {
  if (rule.default !== undefined) return structuredClone(rule.default);
  if (rule.examples) return structuredClone(rule.examples[0]);
  if (rule.enum) return rule.enum[0];
  const type = [rule.type].flat()[0];
  if (type === 'object') return {};
  if (type === 'array') return [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return rule.minimum ?? 1;
  return '';
}

/** Draws the form of `scenario` into `place`; `changed(scenario)` is called after each change. */
function drawForm(place, scenario, changed) {
  const redraw = () => drawForm(place, scenario, changed);

  /** What was typed, in the type that the scenario had or the schema wants. */
  function read(text, rule) {
    const types = [rule.type].flat();
    const isNumber = (types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text));
    return isNumber ? Number(text) : text;
  }

  function field(owner, key, path, rule) {
    const value = owner[key], id = `field${pointerOf(path)}`, hint = rule.description ?? '';
    const set = (next) => { owner[key] = next; changed(scenario); };
    let input;
    if (rule.enum) {
      const known = rule.enum.includes(value) ? rule.enum : [value, ...rule.enum]; // what is wrong stays visible
      input = element('select', { onchange: () => set(known[input.selectedIndex]) },
        ...known.map((one) => element('option', { textContent: String(one), selected: one === value })));
    } else if (typeof value === 'boolean') {
      input = element('input', { type: 'checkbox', checked: value, onchange: () => set(input.checked) });
    } else {
      input = element('input', { type: 'text', value: String(value), spellcheck: false, onchange: () => set(read(input.value, rule)) });
      if (rule.examples) input.placeholder = String(rule.examples[0]);
    }
    input.id = id;
    input.dataset.pointer = pointerOf(path);
    const row = element('div', { className: 'row' }, element('label', { htmlFor: id, textContent: typeof key === 'number' ? `${key + 1}` : words(key) }), input, removal(owner, key, path));
    if (hint) {
      row.append(element('small', { id: `${id}-hint`, textContent: hint }));
      input.setAttribute('aria-describedby', `${id}-hint`);
    }
    return row;
  }

  function removal(owner, key, path) {
    const name = typeof key === 'number' ? `number ${key + 1}` : words(key);
    return element('button', {
      type: 'button', className: 'remove', textContent: '\u00d7', title: `Remove ${name}`, ariaLabel: `Remove ${path.map((one) => (typeof one === 'number' ? one + 1 : words(one))).join(', ')}`,
      onclick: () => {
        if (Array.isArray(owner)) owner.splice(key, 1); else delete owner[key];
        changed(scenario);
        redraw();
      },
    });
  }

  /** A choice of what the schema knows and the scenario does not have. */
  function addition(owner, rule, path) {
    const known = rule.properties ?? {};
    const missing = Object.keys(known).filter((key) => !(key in owner) && key !== '$schema');
    if (missing.length === 0) return null;
    const choice = element('select', {
      ariaLabel: `Add to ${path.length === 0 ? 'the scenario' : path.map((one) => (typeof one === 'number' ? one + 1 : words(one))).join(', ')}`,
      onchange: () => {
        const key = missing[choice.selectedIndex - 1];
        owner[key] = startOf(described(known[key]));
        changed(scenario);
        redraw();
      },
    }, element('option', { textContent: 'Add \u2026' }), ...missing.map((key) => element('option', { textContent: words(key), title: described(known[key]).description ?? '' })));
    return element('div', { className: 'row add' }, choice);
  }

  function group(owner, path, part) {
    const rule = described(part, owner), out = [];
    const keys = Array.isArray(owner) ? owner.keys() : Object.keys(owner).filter((key) => key !== '$schema');
    for (const key of keys) {
      const inner = Array.isArray(owner) ? rule.items : (rule.properties?.[key] ?? (typeof rule.additionalProperties === 'object' ? rule.additionalProperties : undefined));
      const at = [...path, key], value = owner[key];
      if (value !== null && typeof value === 'object') {
        const name = typeof key === 'number' ? `${words(String(path.at(-1) ?? ''))} ${key + 1}` : words(key);
        out.push(element('fieldset', {}, element('legend', {}, name, ' ', removal(owner, key, at)), ...group(value, at, inner)));
      } else {
        out.push(field(owner, key, at, described(inner, value)));
      }
    }
    if (Array.isArray(owner))
      out.push(element('div', { className: 'row add' }, element('button', {
        type: 'button', textContent: 'Add one more',
        onclick: () => {
          owner.push(owner.length > 0 ? structuredClone(owner.at(-1)) : startOf(described(rule.items)));
          changed(scenario);
          redraw();
        },
      })));
    else out.push(addition(owner, rule, path));
    return out.filter((one) => one !== null);
  }

  place.replaceChildren(...group(scenario, [], schema));
}

/** Puts an error at its field, or at the nearest one that holds it. Returns whether there is one. */
function markField(place, { pointer, problem, hint }) {
  const fields = [...place.querySelectorAll('[data-pointer]')];
  const found = fields.find((one) => one.dataset.pointer === pointer) ??
    fields.filter((one) => pointer.startsWith(`${one.dataset.pointer}/`)).sort((a, b) => b.dataset.pointer.length - a.dataset.pointer.length)[0];
  if (!found) return false;
  const id = `${found.id}-error`;
  found.setAttribute('aria-invalid', 'true');
  found.setAttribute('aria-errormessage', id);
  found.closest('.row').append(element('p', { id, className: 'error', textContent: hint ? `${problem}: ${hint}` : problem }));
  found.focus();
  return true;
}

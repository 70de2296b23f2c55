// Recalculates the answer when a slider moves. Between computed sizes the rate is interpolated on logarithmic axes;
// beyond the largest there is no answer. Epochs and data stretch the work; the rate is taken to stay. Energy and cost
// are those of the answer in proportion to the nodes.
function rateAt(points, nodes, column) {
  const above = points.findIndex((p) => p[0] >= nodes);
  if (above < 0) return undefined;
  if (points[above][0] === nodes || above === 0) return points[above][column];
  const [a, b] = [points[above - 1], points[above]];
  const part = Math.log(nodes / a[0]) / Math.log(b[0] / a[0]);
  return a[column] * Math.pow(b[column] / a[column], part);
}

function smallestWithin(workload, samples, deadline) {
  const { points } = workload;
  const fits = (nodes) => samples / rateAt(points, nodes, 2) <= deadline * (1 + 1e-9);
  let high = points[points.length - 1][0];
  let low = points[0][0];
  if (!fits(high)) return undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const countText = (value) => Math.round(value).toLocaleString('en');
const shortNumber = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

function durationText(seconds, others = []) {
  const units = [['years', 365.25 * 86400], ['days', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const [name, size] = units.find((u) => seconds >= 2 * u[1]) ?? units[4];
  const interval = others.length ? ` (${others.map((o) => shortNumber(o / size)).join(' to ')})` : '';
  return `${shortNumber(seconds / size)} ${name}${interval}`;
}

function startWhatIf() {
  const form = document.getElementById('what-if');
  const data = JSON.parse(document.getElementById('what-if-numbers').textContent);
  const byId = (id) => document.getElementById(`what-if-${id}`);
  const factor = (id) => Math.pow(2, byId(id).valueAsNumber / 10);

  function show(id, text) {
    byId(`${id}-value`).value = text;
    byId(id).setAttribute('aria-valuetext', text);
  }

  // Energy and cost of a year on so many nodes, in proportion to those of the answer.
  function money(nodes) {
    if (!data.energy) return [];
    const { kwh, price, other } = data.energy;
    const share = nodes / data.nodes;
    const now = price * factor('price');
    show('price', `${shortNumber(now)} USD/kWh`);
    const bill = kwh * share * now;
    const asAsked = nodes === data.nodes && byId('price').valueAsNumber === 0;
    const lines = [`Energy of a year: ${shortNumber(kwh * share)} kWh, ${shortNumber(bill)} USD`];
    if (other > 0) lines.push(`A year of owning: ${shortNumber(other * share + bill)} USD`);
    return lines.map((line) => line + (asAsked ? '' : ' (approximate)'));
  }

  function list(lines) {
    byId('workloads').replaceChildren(...lines.map((line) => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }));
  }

  const perNode = data.workloads[0].points[0][1] / data.workloads[0].points[0][0];
  const largest = Math.min(...data.workloads.map((w) => w.points[w.points.length - 1][0]));
  const spares = data.spares > 0 ? ` + ${countText(data.spares)} ${data.spares === 1 ? 'spare' : 'spares'}` : '';
  const plural = (nodes) => `${countText(nodes)} ${nodes === 1 ? 'node' : 'nodes'}`;

  function quality(needs, chosen, freely) {
    const isComputed = (w, n) => w.points.some((p) => p[0] === n);
    if (freely) {
      const late = Math.max(...needs.map((n) => n ?? Infinity));
      const verdict = chosen >= late ? 'Enough for the deadline' : 'Too few for the deadline';
      const sameWork = ['epochs', 'data'].every((id) => byId(id).valueAsNumber === 0);
      const how = !data.workloads.every((w) => isComputed(w, chosen)) ? 'approximate, interpolated between simulated sizes'
        : sameWork ? 'this size was simulated'
          : 'approximate: this size was simulated for the work as asked, the rate is taken to stay the same';
      return `${verdict}; ${how}.`;
    }
    const asAsked = ['deadline', 'epochs', 'data'].every((id) => byId(id).valueAsNumber === 0);
    if (!data.workloads.every((w, i) => isComputed(w, needs[i]))) return 'Approximate: the rate is interpolated between simulated sizes.';
    return asAsked
      ? 'As asked: these sizes were simulated.'
      : 'Approximate: these sizes were simulated, for the work as asked; the rate is taken to stay the same.';
  }

  function update() {
    const deadline = data.deadline * factor('deadline');
    const work = factor('epochs') * factor('data');
    const freely = byId('gpus').valueAsNumber !== 0;
    show('deadline', durationText(deadline));
    show('epochs', [...new Set(data.workloads.map((w) => shortNumber(w.epochs * factor('epochs'))))].join(', '));
    show('data', data.workloads.map((w) => `${shortNumber(w.samples * factor('data') / 1e6)} million samples`)
      .filter((text, i, all) => all.indexOf(text) === i).join(', '));
    const needs = data.workloads.map((w) => smallestWithin(w, w.samples * w.epochs * work, deadline));
    const beyond = needs.findIndex((n) => n === undefined);
    if (beyond >= 0 && !freely) {
      const { title } = data.workloads[beyond];
      byId('answer').textContent = `More than ${countText(largest)} × ${data.node}`;
      byId('quality').textContent = `No larger size was simulated for ${title}: ask again with this deadline.`;
      show('gpus', `more than ${countText(largest * perNode)}`);
      money(largest);
      list([]);
      return;
    }
    // Moved, the slider is a number of GPUs around the answer as asked; at rest it follows the need.
    const nodes = freely ? Math.min(largest, Math.max(1, Math.round(data.nodes * factor('gpus')))) : Math.max(...needs);
    show('gpus', `${countText(nodes * perNode)}${freely ? '' : ', as needed'}`);
    // How many spares another count needs is not known here; the answer's stay.
    byId('answer').textContent = `${countText(nodes)}${spares} × ${data.node}`;
    byId('quality').textContent = quality(needs, nodes, freely);
    const times = data.workloads.map((w, i) => {
      const samples = w.samples * w.epochs * work;
      const on = freely ? nodes : needs[i];
      const [value, low, high] = [2, 4, 3].map((column) => samples / rateAt(w.points, on, column));
      return `${w.title}: ${plural(on)}, ${durationText(value, [low, high])}`;
    });
    list([...times, ...money(nodes)]);
  }

  form.addEventListener('input', update);
  form.addEventListener('reset', () => setTimeout(update));
  form.addEventListener('submit', (event) => event.preventDefault());
  update();
}
if (document.getElementById('what-if')) startWhatIf();

// Recalculates the answer when a slider moves. Between computed sizes the rate is interpolated on logarithmic axes;
// beyond the largest there is no answer. Epochs and data stretch the work; the rate is taken to stay.
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

  function update() {
    const deadline = data.deadline * factor('deadline');
    const work = factor('epochs') * factor('data');
    const asAsked = ['deadline', 'epochs', 'data'].every((id) => byId(id).valueAsNumber === 0);
    show('deadline', durationText(deadline));
    show('epochs', data.workloads.map((w) => shortNumber(w.epochs * factor('epochs'))).join(', '));
    show('data', data.workloads.map((w) => `${shortNumber(w.samples * factor('data') / 1e6)} million samples`)
      .filter((text, i, all) => all.indexOf(text) === i).join(', '));
    const needs = data.workloads.map((w) => smallestWithin(w, w.samples * w.epochs * work, deadline));
    const beyond = data.workloads.findIndex((w, i) => needs[i] === undefined);
    byId('workloads').replaceChildren();
    if (beyond >= 0) {
      const { title, points } = data.workloads[beyond];
      byId('answer').textContent = `More than ${points[points.length - 1][0]} × ${data.node}`;
      byId('quality').textContent = `No larger size was simulated for ${title}: ask again with this deadline.`;
      return;
    }
    const nodes = Math.max(...needs);
    const exact = asAsked && data.workloads.every((w) => w.points.some((p) => p[0] === nodes || p[0] > nodes));
    const computed = data.workloads.every((w, i) => w.points.some((p) => p[0] === needs[i]));
    byId('answer').textContent = `${shortNumber(nodes)} × ${data.node}`;
    byId('quality').textContent = exact && computed
      ? 'As asked: these sizes were simulated.'
      : computed
        ? 'Approximate: these sizes were simulated, for the work as asked; the rate is taken to stay the same.'
        : 'Approximate: the rate is interpolated between simulated sizes.';
    data.workloads.forEach((w, i) => {
      const samples = w.samples * w.epochs * work;
      const [value, low, high] = [2, 4, 3].map((column) => samples / rateAt(w.points, needs[i], column));
      const item = document.createElement('li');
      item.textContent = `${w.title}: ${needs[i]} ${needs[i] === 1 ? 'node' : 'nodes'}, ${durationText(value, [low, high])}`;
      byId('workloads').append(item);
    });
  }

  form.addEventListener('input', update);
  form.addEventListener('reset', () => setTimeout(update));
  form.addEventListener('submit', (event) => event.preventDefault());
  update();
}
if (document.getElementById('what-if')) startWhatIf();

// Shows the answer that the engine computed for the chosen values. Between them and outside them there is none: the
// page says so and names the command that asks the engine.
function startWhatIf() {
  const form = document.getElementById('what-if-form');
  const { paths, counts, outcomes } = JSON.parse(document.getElementById('what-if-outcomes').textContent);
  const choices = paths.map((_, i) => document.getElementById(`what-if-${i}`));

  function chosen() {
    const other = choices.flatMap((c, i) => (c.value === 'other' ? [paths[i]] : []));
    if (other.length) {
      const sets = other.map((path) => `--set ${path}="…"`).join(' ');
      return { answer: 'Not computed on this page', tone: 'plain',
               facts: [`Only the listed values were computed. Ask the engine: rackcast size SCENARIO ${sets}`] };
    }
    return outcomes[choices.reduce((at, c, i) => at * counts[i] + Number(c.value), 0)];
  }

  function update() {
    const { answer, facts, tone } = chosen();
    document.getElementById('what-if-outcome').className = tone;
    document.getElementById('what-if-answer').textContent = answer;
    document.getElementById('what-if-facts').replaceChildren(...facts.map((fact) => {
      const item = document.createElement('li');
      item.textContent = fact;
      return item;
    }));
  }

  form.addEventListener('input', update);
  form.addEventListener('reset', () => setTimeout(update));
  form.addEventListener('submit', (event) => event.preventDefault());
  update();
}
if (document.getElementById('what-if-form')) startWhatIf();

// Draws each chart of the page from the Vega-Lite specification beside it. Colours are custom properties of the
// style sheet, so light, dark and print need no second drawing.
function drawCharts() {
  const font = getComputedStyle(document.body).fontFamily;
  const labels = { labelFont: font, titleFont: font, labelColor: 'var(--muted)', titleColor: 'var(--text)' };
  const config = {
    aria: false, // the place of the drawing carries the words
    background: null,
    font,
    view: { stroke: null },
    text: { font, fontSize: 13, color: 'var(--text)' },
    axis: {
      ...labels, labelFontSize: 12.5, titleFontSize: 13, titleFontWeight: 600, titlePadding: 10, format: ',.12~g',
      gridColor: 'var(--rule)', domainColor: 'var(--muted)', tickColor: 'var(--muted)', labelOverlap: 'greedy',
      labelFlush: true, tickCount: 6,
    },
    axisX: { grid: true },
    legend: { ...labels, labelColor: 'var(--text)', labelFontSize: 13, labelLimit: 320, orient: 'top', columns: 0,
              direction: 'horizontal', symbolSize: 120, symbolOpacity: 1, symbolType: 'stroke', symbolStrokeWidth: 3 },
  };
  // What is folded has no width yet: it is drawn when it is opened, or printed.
  function draw(place) {
    if (place.dataset.drawn || place.clientWidth === 0) return;
    place.dataset.drawn = 'yes';
    const spec = JSON.parse(place.nextElementSibling.textContent);
    const narrow = place.clientWidth < 480;
    if (narrow) fitNarrow(place, spec);
    const columns = Math.max(1, Math.floor(place.clientWidth / 260));
    const own = narrow ? { ...config, axis: { ...config.axis, titleLimit: 280 }, legend: { ...config.legend, orient: 'bottom', direction: 'vertical', columns: 1 } } : { ...config, legend: { ...config.legend, columns } };
    vegaEmbed(place, spec, { actions: false, ast: true, renderer: 'svg', config: own, tooltip: { theme: 'custom' } })
      .then(({ view }) => view.container().querySelector('svg').setAttribute('aria-hidden', 'true')) // see aria above
      .catch((error) => {
        console.error(error);
        place.closest('figure').querySelector('details')?.setAttribute('open', '');
      });
  }
  const drawWithin = (part) => part.querySelectorAll('.plot').forEach(draw);
  drawWithin(document);
  for (const fold of document.querySelectorAll('details.fold')) {
    fold.addEventListener('toggle', () => drawWithin(fold));
  }
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details.fold')) fold.open = true;
    drawWithin(document);
  });
}
// Rows with a line more for their words; titles of axes in two lines.
function fitNarrow(place, spec) {
  if (place.classList.contains('rows')) spec.height *= 64 / 46;
  for (const { encoding } of spec.layer ?? []) {
    for (const axis of [encoding?.x, encoding?.y]) {
      if (!axis?.title || axis.title.length < 34) continue;
      const middle = axis.title.lastIndexOf(' ', axis.title.length / 2 + 4);
      axis.title = [axis.title.slice(0, middle), axis.title.slice(middle + 1)];
    }
  }
}
if (typeof vegaEmbed === 'function') drawCharts();

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
  for (const place of document.querySelectorAll('.plot')) {
    const spec = JSON.parse(place.nextElementSibling.textContent);
    const narrow = place.clientWidth < 480;
    const own = narrow ? { ...config, axis: { ...config.axis, titleLimit: 280 }, legend: { ...config.legend, orient: 'bottom', direction: 'vertical', columns: 1 } } : config;
    vegaEmbed(place, spec, { actions: false, ast: true, renderer: 'svg', config: own, tooltip: { theme: 'custom' } })
      .then(({ view }) => view.container().querySelector('svg').setAttribute('aria-hidden', 'true')) // see aria above
      .catch((error) => {
        console.error(error);
        place.closest('figure').querySelector('details')?.setAttribute('open', '');
      });
  }
}
if (typeof vegaEmbed === 'function') drawCharts();

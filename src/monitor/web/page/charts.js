// What all charts share: colours of the scheme, points thinned out, an axis of time, marks of events, one cross-hair over all.

const points_of_a_chart = 360;

// The colours are the style sheet's, so that light and dark are decided in one place.
let colours = {};
function read_colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["text", "quiet", "line", "card", "accent", "good", "warn", "bad", "test", "system", "idle", "idle-line"];
  colours = Object.fromEntries(names.map((name) => [name, of(name)]));
  colours.tags = [1, 2, 3, 4, 5, 6].map((i) => of(`tag-${i}`));
}

// At most `points_of_a_chart` of the points: the lowest and the highest of each stretch of time, so that no peak is lost. Stretches
// start at multiples of their length, so that a chart that moves on does not flicker.
function thin_out(points, value) {
  if (points.length <= points_of_a_chart) return points;
  const span = points[points.length - 1].time - points[0].time;
  const stretch = 2 ** Math.ceil(Math.log2(span / (points_of_a_chart / 2)));
  const kept = [points[0]];
  for (let start = 1; start < points.length;) {
    const number = Math.floor(points[start].time / stretch);
    let end = start, low = start, high = start;
    for (; end < points.length && Math.floor(points[end].time / stretch) === number; ++end) {
      if (value(points[end]) < value(points[low])) low = end;
      if (value(points[end]) > value(points[high])) high = end;
    }
    kept.push(points[Math.min(low, high)]);
    if (low !== high) kept.push(points[Math.max(low, high)]);
    start = end;
  }
  const last = points[points.length - 1];
  if (kept[kept.length - 1] !== last) kept.push(last);
  return kept;
}

// Distances between labels of time that people like.
function time_step(span, most_labels) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  return steps.find((step) => span / step <= most_labels) ?? 86400 * Math.ceil(span / 86400 / most_labels);
}

// At round times, wherever the axis begins.
function place_time_ticks(axis) {
  const step = time_step(axis.max - axis.min, Math.max(3, Math.min(8, axis.width / 70)));
  axis.ticks = [];
  for (let time = Math.ceil(axis.min / step) * step; time <= axis.max; time += step) axis.ticks.push({ value: time });
}

const marks = [];  // [{time, colour, kind, chart: the one it is for, or "" for all}], what matters most last
let pointed_at = null;  // the time under the pointer, in whichever chart

function draw_line_at(chart, time, colour, dash, width = 1) {
  const { left, right, top, bottom } = chart.chartArea;
  const x = Math.round(chart.scales.x.getPixelForValue(time)) + width / 2;
  if (x < left || x > right + 1) return null;
  const draw = chart.ctx;
  draw.save();
  draw.strokeStyle = colour;
  draw.setLineDash(dash);
  draw.lineWidth = width;
  draw.beginPath();
  draw.moveTo(x, top);
  draw.lineTo(x, bottom);
  draw.stroke();
  draw.restore();
  return x;
}

// Above the chart, so that it covers no line; a word that would cover one of `taken` is left to the list of events.
function draw_word(chart, { kind }, x, taken) {
  const draw = chart.ctx;
  draw.font = `600 11px ${Chart.defaults.font.family}`;
  const width = draw.measureText(kind).width;
  const left = Math.min(x - 1, chart.chartArea.right - width);
  if (taken.some((word) => left < word.end + 8 && word.left < left + width + 8)) return;
  draw.fillText(kind, left, chart.chartArea.top - 6);
  taken.push({ left, end: left + width });
}

// A device's events are lines with a word; an anomaly is a triangle on the chart that it is about.
const marks_plugin = {
  id: "marks",
  afterDatasetsDraw(chart) {
    const draw = chart.ctx;
    const words = [];
    for (const mark of marks) {
      if (mark.chart && mark.chart !== chart.canvas.id) continue;
      const x = draw_line_at(chart, mark.time, mark.colour, mark.chart ? [2, 3] : [], mark.kind === "lost" ? 2 : 1);
      if (x === null) continue;
      draw.save();
      draw.fillStyle = mark.colour;
      const top = chart.chartArea.top;
      if (mark.chart) {
        draw.beginPath();
        draw.moveTo(x - 5, top - 2);
        draw.lineTo(x + 5, top - 2);
        draw.lineTo(x, top + 6);
        draw.fill();
      } else {
        words.push([mark, x]);
      }
      draw.restore();
    }
    const taken = [];
    for (const [mark, x] of words.reverse()) {
      draw.fillStyle = mark.colour;
      draw_word(chart, mark, x, taken);
    }
    if (pointed_at !== null) draw_line_at(chart, pointed_at, colours.quiet, []);
  },
  afterEvent(chart, { event, inChartArea }) {
    const inside = inChartArea && event.type !== "mouseout";
    const time = inside ? chart.scales.x.getValueForPixel(event.x) : null;
    if (time === pointed_at) return;
    pointed_at = time;
    redraw_soon();
  },
};

let redraw_asked = false;
function redraw_soon() {
  if (redraw_asked) return;
  redraw_asked = true;
  requestAnimationFrame(() => {
    redraw_asked = false;
    for (const chart of Object.values(Chart.instances)) chart.draw();
  });
}

function tooltip_colours() {
  return { backgroundColor: colours.card, titleColor: colours.text, bodyColor: colours.text, borderColor: colours.line };
}

// As many decimals as tell two labels apart.
function plain_ticks(value, index, ticks, scale = 1) {
  const step = ticks.length > 1 ? scale * Math.abs(ticks[1].value - ticks[0].value) : 1;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 0.001) || 0);
  return decimals > 6 ? (scale * value).toExponential(1) : (scale * value).toFixed(decimals);
}
const share_ticks = (value, index, ticks) => joined(plain_ticks(value, index, ticks, 100), "%");

function axis_options(format) {
  return {
    border: { display: false },
    grid: { color: colours.line, drawBorder: false, drawTicks: false },
    ticks: { color: colours.quiet, padding: 6, maxTicksLimit: 6, callback: format },
  };
}

// y: {format, min, max, …} of the value's axis; label: (point of the tooltip) => text
function make_chart(canvas, datasets, y, label) {
  const time_axis = axis_options((time) => format_clock(time));
  time_axis.grid.display = false;
  Object.assign(time_axis.ticks, { autoSkip: false, maxRotation: 0 });
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      events: ["mousemove", "mouseout", "touchstart", "touchmove"],
      interaction: { mode: "nearest", axis: "x", intersect: false },
      layout: { padding: { top: 18 } },
      elements: { point: { radius: 0, hitRadius: 0, hoverRadius: 3 }, line: { borderWidth: 1.75, borderJoinStyle: "round" } },
      scales: {
        x: { type: "linear", bounds: "data", ...time_axis, afterBuildTicks: place_time_ticks },
        y: { ...axis_options(y.format), ...y },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          borderWidth: 1, padding: 10, boxPadding: 4, usePointStyle: true, ...tooltip_colours(),
          callbacks: { title: (items) => (items.length ? `at ${format_duration(items[0].parsed.x)}` : ""), label },
        },
      },
    },
    plugins: [marks_plugin],
  });
  return chart;
}

// After the scheme has changed; each card gives its lines their colours anew.
function recolour_chart(chart) {
  for (const axis of Object.values(chart.options.scales)) {
    axis.grid.color = colours.line;
    axis.ticks.color = colours.quiet;
  }
  Object.assign(chart.options.plugins.tooltip, tooltip_colours());
}

function set_time_range(chart, from, to) {
  const axis = chart.options.scales.x;
  axis.min = from;
  axis.max = Math.max(to, from + 1);
}

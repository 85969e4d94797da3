// The five charts, each a card with a legend that tells the values of now and a label that says the same to who cannot see it.

const last_of = (list) => list[list.length - 1];
const numbers_only = (list, key) => list.filter((one) => Number.isFinite(one[key]));

// Noisy figures are drawn faintly, and on top the mean of each with its eight neighbours to both sides: fewer where it starts and ends,
// and where training went back after a loss. (The sample that a loss falls into is still of the steps before.)
function with_mean(samples, key, losses) {
  const sums = [0];
  for (const s of samples) sums.push(last_of(sums) + s[key]);
  const after = losses.map((time) => samples.findIndex((s) => s.time > time) + 1).filter((i) => i > 1 && i < samples.length);
  const starts = [0, ...after, samples.length];
  let stretch = 0;
  return samples.map((s, i) => {
    while (i >= starts[stretch + 1]) ++stretch;
    const reach = Math.min(8, i - starts[stretch], starts[stretch + 1] - 1 - i);
    return { time: s.time, value: s[key], mean: (sums[i + reach + 1] - sums[i - reach]) / (2 * reach + 1) };
  });
}

// Samples go back 1,000; what is older is told by epochs.
function with_older_epochs(run, points, key) {
  const from = points.length ? points[0].time : Infinity;
  const older = numbers_only(run.epochs, key).filter((e) => e.time < from);
  return [...older.map((e) => ({ time: e.time, value: e[key], mean: e[key] })), ...points];
}

const as_points = (list, key) => list.map((p) => ({ x: p.time, y: p[key] }));
const test_points = (run, key) => as_points(thin_out(numbers_only(run.epochs, key), (e) => e[key]), key);

// A run that is over has charts that end with it.
const end_of = (run, now, ...times) => (is_over(run.training) ? Math.max(...times.filter(Number.isFinite)) : now);

class ChartCard {
  constructor({ id, title, lines, y, label, wide = false }) {
    this.lines = lines;  // [{name, colour: () => css, options}]
    this.card = element("section", wide ? "card chart-card wide" : "card chart-card");
    const head = element("div", "card-head");
    const heading = element("h3", "", title);
    heading.id = `${id}-heading`;
    this.card.setAttribute("aria-labelledby", heading.id);
    this.legend = element("ul", "legend");
    head.append(heading, this.legend);
    this.head = head;
    this.note = element("p", "quiet chart-note");
    this.note.hidden = true;
    const frame = element("div", "chart-frame");
    this.canvas = element("canvas");
    this.canvas.id = id;
    this.canvas.setAttribute("role", "img");
    frame.append(this.canvas);
    this.card.append(head, this.note, frame);
    by_id("charts").append(this.card);
    this.values = lines.map((line) => this.make_legend_entry(line));
    this.chart = make_chart(this.canvas, lines.map((line) => ({ label: line.name, data: [], ...line.options })), y, label);
    this.recolour();
  }

  make_legend_entry(line) {
    if (line.unlisted) return null;
    const entry = element("li");
    entry.append(element("span", line.swatch ?? "swatch"), element("span", "legend-name", line.name), element("span", "legend-value"));
    this.legend.append(entry);
    return entry;
  }

  recolour() {
    recolour_chart(this.chart);
    this.lines.forEach((line, i) => {
      const dataset = this.chart.data.datasets[i], colour = line.colour();
      dataset.borderColor = dataset.pointBackgroundColor = dataset.pointBorderColor = colour;
      if (line.options?.fill !== undefined) dataset.backgroundColor = colour;
      this.values[i]?.firstChild.style.setProperty("--swatch", colour);
    });
  }

  // points: of each line; values: text of each line's legend; said: what the label tells
  show({ from, to, points, values, said, note = "" }) {
    points.forEach((p, i) => (this.chart.data.datasets[i].data = p));
    set_time_range(this.chart, from, to);
    this.chart.update();
    this.values.forEach((entry, i) => {
      if (!entry) return;
      set_text(entry.lastChild, values[i] ?? "");
      set_hidden(entry, values[i] === null);
    });
    set_text(this.note, note);
    set_hidden(this.note, !note);
    set_attribute(this.canvas, "aria-label", said);
  }
}

const faint = { order: 1, borderWidth: 1 };
const dots = { order: -1, clip: 8, showLine: false, pointRadius: 4, pointHoverRadius: 6 };
const transparent = (colour) => `${colour}66`;

// Loss and accuracy: training as it goes, and the test set after each epoch.
class LearningCard extends ChartCard {
  constructor(id, title, key, format, y) {
    super({
      id, title, y,
      lines: [
        { name: "each sample", unlisted: true, colour: () => transparent(colours.accent), options: faint },
        { name: "training", colour: () => colours.accent },
        { name: "test", colour: () => colours.test, options: dots, swatch: "swatch dot" },
      ],
      label: (item) => ` ${item.dataset.label}: ${format(item.parsed.y)}`,
    });
    this.title = title;
    this.key = key;
    this.format = format;
  }

  draw(run, from, to) {
    const losses = run.events.filter((e) => e.kind === "lost").map((e) => e.time);
    const measured = with_older_epochs(run, with_mean(numbers_only(run.samples, this.key), this.key, losses), this.key);
    const drawn = thin_out(measured, (p) => p.value);
    const tested = test_points(run, `test_${this.key}`);
    const now = last_of(measured), test = last_of(tested);
    set_hidden(this.card, measured.length + tested.length === 0);
    if (this.card.hidden) return;
    const said = [now ? `training ${this.format(now.value)} now, ${this.format(measured[0].value)} at first` : "",
                  test ? `test ${this.format(test.y)} after epoch ${last_of(run.epochs).epoch}` : ""].filter(Boolean).join("; ");
    this.chart.data.datasets[2].pointRadius = tested.length > 25 ? 2 : 4;
    this.show({
      from: Math.min(from, drawn[0]?.time ?? from, tested[0]?.x ?? from), to: end_of(run, to, now?.time, test?.x),
      points: [as_points(drawn, "value"), as_points(drawn, "mean"), tested],
      values: [null, now ? this.format(now.value) : null, test ? this.format(test.y) : null],
      said: `${this.title} over time: ${said}`,
    });
  }
}

class LossCard extends LearningCard {
  constructor() {
    super("loss-chart", "Loss", "loss", format_number, { format: plain_ticks });
    const button = element("button", "small", "Log scale");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const logarithmic = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(logarithmic));
      this.chart.options.scales.y.type = logarithmic ? "logarithmic" : "linear";
      this.chart.update();
    });
    this.head.append(button);
  }
}

class StepCard extends ChartCard {
  constructor() {
    super({
      id: "step-chart", title: "Step time",
      y: { format: (v, i, ticks) => joined(plain_ticks(v, i, ticks), "ms"), beginAtZero: true },
      lines: [
        { name: "step", colour: () => colours.accent },
        { name: "of it waiting for data", colour: () => colours.warn },
      ],
      label: (item) => ` ${item.dataset.label}: ${format_ms(item.parsed.y)}`,
    });
  }

  draw(run, from, to) {
    const steps = run.samples.filter((s) => s.step_ms > 0);
    set_hidden(this.card, steps.length === 0);
    if (this.card.hidden) return;
    const drawn = thin_out(steps, (s) => s.step_ms);
    const sorted = steps.map((s) => s.step_ms).sort((a, b) => a - b);
    const now = last_of(steps), median = sorted[sorted.length >> 1];
    this.show({
      from, to: end_of(run, to, now.time),
      points: [as_points(drawn, "step_ms"), as_points(drawn, "loader_ms")],
      values: [format_ms(now.step_ms), format_ms(now.loader_ms)],
      said: `Step time: ${format_ms(now.step_ms)} now, half of them under ${format_ms(median)}, ` +
            `the longest ${format_ms(last_of(sorted))}; ${format_ms(now.loader_ms)} waiting for data`,
    });
  }
}

class UtilisationCard extends ChartCard {
  constructor() {
    super({
      id: "utilisation-chart", title: "Utilisation",
      y: { format: share_ticks, min: 0, suggestedMax: 1 },
      lines: [
        { name: "ours", colour: () => colours.accent },
        { name: "system", colour: () => colours.system },
      ],
      label: (item) => ` ${item.dataset.label}: ${format_share(item.parsed.y)}`,
    });
  }

  draw(run, from, to) {
    const keys = ["utilisation", "system_utilisation"];
    const series = keys.map((key) => numbers_only(run.samples, key));
    set_hidden(this.card, series.every((s) => s.length === 0));
    if (this.card.hidden) return;
    const values = series.map((s, i) => (s.length ? format_share(last_of(s)[keys[i]], 0) : null));
    this.show({
      from, to, values,
      points: series.map((s, i) => as_points(thin_out(s, (p) => p[keys[i]]), keys[i])),
      said: `Utilisation of the device: ours ${values[0] ?? "not known"}, the whole system's ${values[1] ?? "not known"}`,
    });
  }
}

class MemoryCard extends ChartCard {
  constructor(tags) {
    const area = (i) => ({ borderWidth: 0, fill: i === 0 ? "origin" : "-1", hoverRadius: 0, pointHoverRadius: 0 });
    super({
      id: "memory-chart", title: "Memory", wide: true,
      y: { format: (v) => format_bytes(v), min: 0 },
      lines: [
        ...tags.map((name, i) => ({ name, colour: () => colours.tags[i % colours.tags.length], options: area(i) })),
        { name: "reserved", colour: () => colours.text, options: { borderWidth: 1.5 }, swatch: "swatch line" },
        { name: "limit", colour: () => colours.bad, options: { borderDash: [6, 4], borderWidth: 1.5 }, swatch: "swatch line dashed" },
      ],
      label: (item) => ` ${item.dataset.label}: ${format_bytes(item.raw.own ?? item.parsed.y)}`,
    });
    this.tags = tags;
  }

  draw(run, from, to) {
    const now = last_of(run.samples);
    set_hidden(this.card, !now);
    if (!now) return;
    const drawn = thin_out(run.samples, (s) => s.live);
    const below = drawn.map(() => 0);
    const areas = this.tags.map((_, tag) => drawn.map((s, i) => {
      const own = s.by_tag[tag] ?? 0;
      return { x: s.time, y: (below[i] += own), own };
    }));
    // A limit far above would flatten all else; it is told instead.
    const most = drawn.reduce((all, s) => Math.max(all, s.reserved), 0);
    const far = now.limit > 3 * most;
    const limits = now.limit > 0 && !far ? drawn.filter((s) => s.limit > 0) : [];
    const full = run.forecast.memory_full;
    this.chart.options.scales.y.ticks.stepSize = byte_step(limits.length ? Math.max(most, now.limit) : most);
    this.show({
      from, to,
      points: [...areas, as_points(drawn, "reserved"), as_points(limits, "limit")],
      values: [...this.tags.map((_, i) => (now.by_tag[i] ? format_bytes(now.by_tag[i]) : null)), format_bytes(now.reserved),
               now.limit > 0 ? format_bytes(now.limit) + (far ? ", far above" : "") : null],
      note: full ? full.message : "",
      said: `Memory: ${format_bytes(now.live)} in use, ${format_bytes(now.reserved)} reserved, ` +
            `${now.limit > 0 ? `limit ${format_bytes(now.limit)}` : "no limit"}; ` +
            this.tags.map((tag, i) => `${tag} ${format_bytes(now.by_tag[i] ?? 0)}`).join(", "),
    });
  }
}

// Steps of an axis that are powers of two, of which at most five fit.
function byte_step(most) {
  return 2 ** Math.ceil(Math.log2(Math.max(1024, most) / 5));
}

let chart_cards = null;

function show_charts(run) {
  chart_cards ??= [
    new LossCard(),
    new LearningCard("accuracy-chart", "Accuracy", "accuracy", (v) => format_share(v), { format: share_ticks, max: 1 }),
    new StepCard(),
    new UtilisationCard(),
    new MemoryCard(run.tags),
  ];
  set_marks(run);
  const from = run.samples[0]?.time ?? 0;
  const to = Math.max(last_of(run.samples)?.time ?? 0, last_of(run.epochs)?.time ?? 0);
  for (const card of chart_cards) card.draw(run, from, to);
  const narrow = chart_cards.slice(0, -1).filter((c) => !c.card.hidden);
  for (const { card } of narrow) card.classList.toggle("wide", card === last_of(narrow).card && narrow.length % 2 === 1);
}

const chart_of_anomaly = {
  step_time: "step-chart", loader: "step-chart", loss: "loss-chart",
  memory: "memory-chart", leak: "memory-chart", evictions: "memory-chart",
};

function set_marks(run) {
  const event_colours = { lost: colours.bad, restored: colours.good, fallback: colours.warn, slow: colours.warn };
  marks.length = 0;
  for (const { time, kind } of run.anomalies.slice(-50))
    if (chart_of_anomaly[kind]) marks.push({ time, kind, colour: colours.warn, chart: chart_of_anomaly[kind] });
  for (const { time, kind } of run.events)
    if (event_colours[kind]) marks.push({ time, kind, colour: event_colours[kind], chart: "" });
  marks.sort((a, b) => (a.kind === "lost") - (b.kind === "lost"));
}

function recolour_charts(run) {
  read_colours();
  for (const card of chart_cards ?? []) card.recolour();
  if (run) show_charts(run);
}

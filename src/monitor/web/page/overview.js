// What one looks at first: what runs, how far it is, and the figures of now.

const tiles = new Map();

function tile(name, value, below, options = {}) {
  let made = tiles.get(name);
  if (!made) {
    const box = element("div", "tile");
    const value_node = element("dd", "tile-value"), below_node = element("dd", "tile-below"), bar = element("dd", "tile-bar");
    bar.setAttribute("aria-hidden", "true");
    bar.hidden = true;
    box.append(element("dt", "", name), value_node, bar, below_node);
    by_id("tiles").append(box);
    tiles.set(name, (made = { box, value_node, below_node, bar }));
  }
  set_hidden(made.box, value === null);
  if (value === null) return;
  set_text(made.value_node, value);
  set_text(made.below_node, below);
  made.box.classList.toggle("alarming", Boolean(options.alarming));
  set_hidden(made.bar, options.filled === undefined);
  if (options.filled !== undefined) made.bar.style.setProperty("--filled", `${(100 * Math.min(1, options.filled)).toFixed(1)}%`);
}

// The newest sample that has the figure.
function newest(samples, has) {
  for (let i = samples.length - 1; i >= 0; --i) if (has(samples[i])) return samples[i];
  return null;
}

function show_tiles(run) {
  const { samples, epochs, cost } = run;
  const tested = newest(epochs, (e) => e.test_accuracy !== null || e.test_loss !== null);
  const loss = newest(samples, (s) => s.loss !== null)?.loss ?? last_of(epochs)?.loss;
  const accuracy = newest(samples, (s) => s.accuracy !== null)?.accuracy ?? last_of(epochs)?.accuracy;
  const step = newest(samples, (s) => s.step_ms > 0);
  const now = last_of(samples);
  const limit = now?.limit > 0 ? joined("limit", format_bytes(now.limit)) : joined("no", "limit");
  const after = tested ? ` after epoch ${tested.epoch}` : "";
  tile("Loss", loss === undefined ? null : format_number(number_of(loss)),
       Number.isFinite(tested?.test_loss) ? `test ${format_number(tested.test_loss)}${after}` : "training",
       { alarming: loss !== undefined && !Number.isFinite(loss) });
  tile("Accuracy", Number.isFinite(accuracy) ? format_share(accuracy) : null,
       Number.isFinite(tested?.test_accuracy) ? `test ${format_share(tested.test_accuracy)}${after}` : "training");
  tile("Step", step ? format_ms(step.step_ms) : null, step ? `${format_ms(step.loader_ms)} waiting for data` : "");
  tile("Samples a second", step ? format_number(step.samples_per_second) : null,
       run.training ? `batches of ${format_count(run.training.batch)}` : "");
  tile("Memory in use", now ? format_bytes(now.live) : null,
       now ? `${format_bytes(now.reserved)} reserved, ${limit}` : "",
       { filled: now?.limit > 0 ? now.reserved / now.limit : undefined });
  const used = newest(samples, (s) => s.utilisation !== null);
  const system = newest(samples, (s) => s.system_utilisation !== null);
  tile("Utilisation", used ? format_share(used.utilisation, 0) : null,
       system ? `whole system ${format_share(system.system_utilisation, 0)}` : "ours; the system's is not told",
       { filled: used?.utilisation });
  tile("Cost of watching", format_small_share(cost.total > 0 ? cost.seconds / cost.total : 0),
       `of the run; ${format_small_share(cost.total > 0 ? cost.background_seconds / cost.total : 0)} beside it`);
}

// Finished, or interrupted: nothing more comes.
const is_over = (training) => Boolean(training?.finished || training?.ended);

function show_progress(run) {
  const { training, forecast, time } = run;
  set_hidden(by_id("progress-row"), false);
  set_hidden(by_id("progress"), !training);
  set_text(by_id("elapsed"), `${format_duration(time)} elapsed`);
  const end = training && !is_over(training) && view.connection !== "lost" ? forecast.training_end : null;
  set_text(by_id("expected-end"), end ? expected_end(end) : "");
  if (!training) return;
  const steps = training.batches > 0 ? training.epochs * training.batches + training.extra_steps : 0;
  const done = training.finished ? 1 : steps > 0 ? Math.min(1, training.step / steps) : 0;
  const epoch = Math.min(training.epochs, training.epoch + (training.finished ? 0 : 1));
  by_id("progress").value = done;
  set_text(by_id("progress-text"), `Epoch ${format_count(epoch)} of ${format_count(training.epochs)}` +
                                   (steps > 0 ? ` · step ${format_count(training.step)} of ${format_count(steps)}` : ""));
  const title = `${Math.floor(100 * done)} % · ${training.task || "training"} · Tidepool`;
  if (document.title !== title) document.title = title;
}

function expected_end({ seconds, low, high }) {
  const text = `ends in ${format_roughly(seconds)}`;
  const range = high > low ? ` (${format_roughly(Math.max(0, low))} to ${format_roughly(high)})` : "";
  if (view.connection === "export" || seconds > 12 * 3600) return text + range;
  const clock = new Date(Date.now() + 1000 * seconds).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return `${text}${range}, about ${clock}`;
}

const state_words = {
  connecting: "Connecting…", running: "Running", finished: "Finished", ended: "Ended early", lost: "Connection lost, trying again", export: "Export",
};

// Said to screen readers as well, so it is written only when it changes.
function show_state(run) {
  const finished = run?.training?.finished;
  const of_run = finished ? "finished" : is_over(run?.training) ? "ended" : "running";
  const state = view.connection === "live" ? of_run : view.connection;
  const words = state_words[state] + (state === "lost" && of_run !== "running" ? `; the run had ${state_words[of_run].toLowerCase()}` : "");
  const node = by_id("state");
  set_attribute(node, "data-state", state);
  set_text(node, words);
}

const date_of = (text) => {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }) + " UTC";
};

function show_about(run) {
  const { device, settings, training } = run;
  set_text(by_id("task"), training?.task || "Tidepool");
  set_text(by_id("device"), [device.name, device.id].filter(Boolean).join(" · "));
  const facts = [
    ["Started", date_of(run.started)],
    ["Device", `${device.name} (${device.id}, ${device.kind})`],
    ["Driver", device.driver],
    ["Device memory", device.memory_total > 0 ? format_bytes(device.memory_total) : ""],
    ["Memory limit", settings.memory_limit > 0 ? format_bytes(settings.memory_limit) : "none"],
    ["Cache limit", settings.cache_limit > 0 ? format_bytes(settings.cache_limit) : ""],
    ["Threads", settings.threads > 0 ? format_count(settings.threads) : ""],
    ["Commands a flush", settings.max_commands > 0 ? format_count(settings.max_commands) : ""],
    ["Parameters", training?.parameters > 0 ? format_count(training.parameters) : ""],
    ["Training samples", training?.samples > 0 ? format_count(training.samples) : ""],
    ["Tidepool", run.version],
  ].filter(([, value]) => value);
  view.about ??= new KeyedChildren(by_id("about"), ([name]) => {
    const pair = element("div");
    pair.append(element("dt", "", name), element("dd"));
    return pair;
  }, (pair, [, value]) => set_text(pair.lastChild, value));
  view.about.show(facts, ([name]) => name);
}

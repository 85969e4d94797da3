// What is worth knowing: advice, anomalies, a device's events, and the banner of a lost device.

const notes_shown = 30;
const notes = { advice: null, anomalies: null, events: null, hidden_loss: null };

const advice_words = {
  batch: "Batch", flush: "Flushing", cache: "Cache", threads: "Threads", loader: "Loader", device: "Device", memory: "Memory",
};
const anomaly_words = {
  step_time: "Step time", memory: "Memory", leak: "Leak", loss: "Loss", loader: "Loader", evictions: "Evictions",
};

function make_notes() {
  notes.advice = new KeyedChildren(by_id("advice"), make_advice, write_advice);
  notes.anomalies = new KeyedChildren(by_id("anomalies"), () => make_note("warn"), (node, a) =>
    write_note(node, anomaly_words[a.kind] ?? a.kind, format_duration(a.time), a.message, ""));
  notes.events = new KeyedChildren(by_id("events"), (e) => make_note(tone_of_event(e.kind)), (node, e) =>
    write_note(node, capital(e.kind), format_duration(e.time), e.message, e.device));
}

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

function tone_of_event(kind) {
  return { lost: "bad", restored: "good", fallback: "warn", slow: "warn", paced: "warn" }[kind] ?? "plain";
}

function make_note(tone) {
  const item = element("li", `note ${tone}`);
  const head = element("p", "note-head");
  head.append(element("span", "note-kind"), element("span", "note-device"), element("span", "note-time"));
  item.append(head, element("p", "note-text"));
  return item;
}

function write_note(item, kind, time, message, device) {
  const [kind_node, device_node, time_node] = item.firstChild.children;
  set_text(kind_node, kind);
  set_text(device_node, device);
  set_text(time_node, time);
  set_text(item.lastChild, message);
}

function make_advice() {
  const item = make_note("advice");
  const line = element("p", "setting"), code = element("code"), button = element("button", "small", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    const copied = await copy_text(code);
    set_text(button, copied ? "Copied" : "Not allowed");
    announce(copied ? `Copied ${code.textContent}` : "Copying is not allowed here");
    setTimeout(() => set_text(button, "Copy"), 2000);
  });
  line.append(code, button);
  item.append(line);
  return item;
}

function write_advice(item, { kind, gain, message, setting }) {
  const [kind_node, , gain_node] = item.firstChild.children;
  set_text(kind_node, advice_words[kind] ?? kind);
  set_text(gain_node, gain > 0 ? `saves about ${format_share(gain, 0)}` : "");
  set_text(item.children[1], message);
  const [code, button] = item.children[2].children;
  set_text(code, setting);
  set_attribute(button, "aria-label", `Copy ${setting}`);
  set_hidden(item.children[2], !setting);
}

// The newest first, and how many more there are.
function show_newest(name, all) {
  const first = Math.max(0, all.length - notes_shown);
  const shown = all.map((note, i) => ({ ...note, number: i })).slice(first).reverse();
  notes[name].show(shown, (note) => `${note.number} ${note.time} ${note.kind}`);
  set_text(by_id(`${name}-more`), `and ${format_count(first)} before these`);
  set_hidden(by_id(`${name}-more`), first === 0);
  show_count(name, all.length);
}

function show_notes(run) {
  notes.advice.show(run.advice, (a) => `${a.kind} ${a.setting}`);
  show_count("advice", run.advice.length);
  show_newest("anomalies", run.anomalies);
  show_newest("events", run.events);
  show_banner(run);
}

// A loss stays in view, in red until something took over from the device, until it is hidden by hand.
function show_banner(run) {
  const banner = by_id("banner");
  const at = run.events.map((e) => e.kind).lastIndexOf("lost");
  const lost = run.events[at];
  set_hidden(banner, !lost || notes.hidden_loss === lost.time);
  if (banner.hidden) return;
  const after = run.events.slice(at + 1).find((e) => ["restored", "fallback", "selected"].includes(e.kind));
  if (!banner.firstChild) make_banner(banner);
  const [text, button] = banner.children;
  banner.classList.toggle("settled", Boolean(after));
  const device = lost.device || "The device";
  set_text(text.firstChild, `${device} was lost at ${format_duration(lost.time)}`);
  const why = lost.message.replace(`${device} was lost: `, "");
  set_text(text.lastChild, `: ${why}${after ? `. ${capital(after.kind)} at ${format_duration(after.time)}: ${after.message}` : ""}`);
  button.dataset.time = lost.time;
}

function make_banner(banner) {
  const text = element("p"), button = element("button", "small", "Hide");
  text.append(element("strong"), element("span"));
  button.type = "button";
  button.setAttribute("aria-label", "Hide the message about the lost device");
  button.addEventListener("click", () => {
    notes.hidden_loss = Number(button.dataset.time);
    set_hidden(banner, true);
    by_id("main").focus();
  });
  banner.append(text, button);
}

// The page itself: it gets the record of a run, keeps it up to date from the server's events, and draws it once for each message.

const samples_kept = 1000;
const view = {
  run: null,
  connection: "connecting",  // "live", "lost"; "export" for a page that has its record inside
  source: null,
  wait: 1000,  // milliseconds until the next try
  draw_asked: false,
  about: null,
};

// The page as it came, to be saved with the record inside when there is no server any more.
const page_as_it_came = (() => {
  const page = document.documentElement.cloneNode(true);
  for (const node of page.querySelectorAll("[nonce]")) node.setAttribute("nonce", node.nonce);  // browsers hide it
  return `<!doctype html>\n${page.outerHTML}`;
})();

const token = new URLSearchParams(location.search).get("token");
const with_token = (path) => (token ? `${path}?token=${encodeURIComponent(token)}` : path);

function take_update(update) {
  const run = view.run;
  if (!run || update.started !== run.started) return reconnect();  // another run answers at this address
  const last = last_of(run.samples);
  // Training that is over stays in view: idle samples do not push it out.
  const over = is_over(run.training) && is_over(update.training);
  const is_news = (s) => !last || (s.time > last.time && !(over && s.launches === last.launches));
  const grown = {
    samples: run.samples.concat(update.samples.filter(is_news)).slice(-samples_kept),
    epochs: run.epochs.concat(update.epochs),
    events: run.events.concat(update.events).slice(-samples_kept),
    anomalies: run.anomalies.concat(update.anomalies).slice(-samples_kept),
  };
  view.run = { ...update, ...grown, tags: run.tags, pool: update.pool ?? run.pool };
}

// Once for each message at most; nothing while nobody looks.
function draw_soon() {
  if (view.draw_asked || document.hidden) return;
  view.draw_asked = true;
  requestAnimationFrame(() => {
    view.draw_asked = false;
    draw_all();
  });
}

function draw_all() {
  const run = view.run;
  show_state(run);
  if (!run) return;
  const start = performance.now();
  show_about(run);
  show_progress(run);
  show_tiles(run);
  show_charts(run);
  show_notes(run);
  show_tables(run);
  show_pool(run);
  performance.clearMeasures("update");
  performance.measure("update", { start });
}

function connect() {
  view.source = new EventSource(with_token("events"));
  const take = (name, use) =>
    view.source.addEventListener(name, (event) => {
      view.connection = "live";
      view.wait = 1000;
      use(JSON.parse(event.data));
      draw_soon();
    });
  take("run", (run) => (view.run = run));
  take("update", take_update);
  view.source.addEventListener("error", reconnect);
}

// What is there stays; the first message of the next connection is the whole record.
function reconnect() {
  view.source.close();
  view.connection = "lost";
  show_state(view.run);
  draw_soon();
  setTimeout(connect, view.wait);
  view.wait = Math.min(15000, 1.6 * view.wait);
}

function save_page() {
  const data = JSON.stringify(view.run).replaceAll("<", "\\u003c");
  const page = page_as_it_came.replace(/(<script[^>]*id="run-data"[^>]*>)/, (opening) => opening + data);
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  link.download = "tidepool-run.html";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function set_up_ways_out() {
  for (const link of by_id("ways-out").querySelectorAll("a")) link.href = with_token(link.getAttribute("href"));
  by_id("export-link").addEventListener("click", (event) => {
    if (view.connection !== "lost" || !view.run) return;
    event.preventDefault();
    save_page();
  });
}

function show_export(text) {
  view.connection = "export";
  view.run = JSON.parse(text);
  set_hidden(by_id("ways-out"), true);
  const note = by_id("export-note");
  set_hidden(note, false);
  set_text(note, `An export of the run that started on ${date_of(view.run.started)}, ` +
                 `as it was after ${format_duration(view.run.time)}. It is connected to nothing.`);
  draw_soon();
}

function start() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 11;
  read_colours();
  make_tables();
  make_notes();
  make_pool_view();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    recolour_charts(view.run);
    pool_view.pool = null;
    draw_soon();
  });
  document.addEventListener("visibilitychange", draw_soon);
  const text = by_id("run-data").textContent.trim();
  if (text) return show_export(text);
  set_up_ways_out();
  connect();
}

start();

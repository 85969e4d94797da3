// The allocation map: all regions of the pool one after the other, as text is set in lines; each block in the colour of its tag.

const pool_line = 22, pool_gap = 4, pool_lines = 12;
const idle_tag = -1;

const pool_view = {
  pool: null, tags: [],
  pieces: [],  // of lines: {x, y, width, block, region}
  blocks: [],  // [{offset, bytes, tag, holder, region, pieces}], for the keyboard in the order they lie
  chosen: null,
  width: 0,
  holders: null, legend: null,
};

const tag_name = (tag) => (tag === idle_tag ? "idle" : (pool_view.tags[tag] ?? "other"));
const tag_colour = (tag) => (tag === idle_tag ? colours.idle : colours.tags[tag % colours.tags.length]);

function make_pool_view() {
  const view = by_id("pool-view"), canvas = by_id("pool-canvas");
  pool_view.holders = new KeyedChildren(make_holders_table().createTBody(), make_holder_row, write_holder_row);
  pool_view.legend = new KeyedChildren(by_id("pool-legend"), make_pool_legend_entry, write_pool_legend_entry);
  canvas.addEventListener("pointermove", (event) => choose_block(block_at(event.offsetX, event.offsetY)));
  canvas.addEventListener("pointerdown", (event) => choose_block(block_at(event.offsetX, event.offsetY)));
  canvas.addEventListener("pointerleave", () => choose_block(null));
  view.addEventListener("keydown", step_through_blocks);
  view.addEventListener("blur", () => choose_block(null));
  // The width is taken from here alone: asking for it in an update would lay out the whole page.
  new ResizeObserver(([entry]) => {
    pool_view.width = entry.contentRect.width;
    draw_pool();
  }).observe(view);
}

function make_holders_table() {
  const table = element("table");
  table.append(element("caption", "unseen", "The largest holders of the pool's memory"));
  const line = table.createTHead().insertRow();
  for (const title of ["Holder", "For", "Blocks", "Bytes"]) {
    const heading = element("th", title === "Blocks" || title === "Bytes" ? "number" : "", title);
    heading.scope = "col";
    line.append(heading);
  }
  by_id("holders").append(table);
  return table;
}

function make_holder_row() {
  const row = element("tr");
  const holder = element("th");
  holder.scope = "row";
  const tag = element("td");
  tag.append(element("span", "swatch"), element("span"));
  row.append(holder, tag, element("td", "number"), element("td", "number"));
  return row;
}

function write_holder_row(row, { holder, tag, blocks, bytes }) {
  set_text(row.cells[0], holder || "the program");
  set_attribute(row.cells[0], "title", holder);
  row.cells[1].firstChild.style.setProperty("--swatch", tag_colour(tag));
  set_text(row.cells[1].lastChild, tag_name(tag));
  set_text(row.cells[2], format_count(blocks));
  set_text(row.cells[3], format_bytes(bytes));
}

function make_pool_legend_entry({ tag }) {
  const entry = element("li");
  const swatch = element("span", tag === idle_tag ? "swatch hatched" : "swatch");
  entry.append(swatch, element("span", "legend-name", tag_name(tag)), element("span", "legend-value"));
  return entry;
}

function write_pool_legend_entry(entry, { tag, bytes }) {
  entry.firstChild.style.setProperty("--swatch", tag_colour(tag));
  set_text(entry.lastChild, format_bytes(bytes));
}

function sum_by(blocks, key_of) {
  const sums = new Map();
  for (const block of blocks) {
    const key = key_of(block);
    const sum = sums.get(key) ?? { key, holder: block.holder, tag: block.tag, blocks: 0, bytes: 0 };
    sum.blocks += 1;
    sum.bytes += block.bytes;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes);
}

// What no block covers is idle as well.
function blocks_of(region, number) {
  const all = [];
  let end = 0;
  const idle = (offset, bytes) => all.push({ offset, bytes, tag: idle_tag, holder: "", region: number });
  for (const [offset, bytes, tag, holder] of [...region.blocks].sort((a, b) => a[0] - b[0])) {
    if (offset > end) idle(end, offset - end);
    all.push({ offset, bytes, tag, holder, region: number });
    end = offset + bytes;
  }
  if (end < region.bytes) idle(end, region.bytes - end);
  return all;
}

function show_pool(run) {
  if (!run.pool || (run.pool === pool_view.pool && run.tags === pool_view.tags)) return;
  const { regions, device, left_out } = run.pool;
  const chosen = pool_view.chosen;
  pool_view.pool = run.pool;
  pool_view.tags = run.tags;
  pool_view.blocks = regions.flatMap(blocks_of);
  set_chosen(chosen && pool_view.blocks.find((b) => b.region === chosen.region && b.offset === chosen.offset));
  const by_tag = sum_by(pool_view.blocks, (b) => b.tag).sort((a, b) => (a.tag === idle_tag) - (b.tag === idle_tag) || a.tag - b.tag);
  const held = pool_view.blocks.filter((b) => b.tag !== idle_tag);
  const total = regions.reduce((sum, r) => sum + r.bytes, 0), used = held.reduce((sum, b) => sum + b.bytes, 0);
  set_text(by_id("pool-summary"), `${device}: ${format_count(held.length)} blocks hold ${format_bytes(used)} of ${format_bytes(total)} ` +
                                  `in ${format_count(regions.length)} regions` +
                                  (left_out > 0 ? `; ${format_bytes(left_out)} in small pieces are not drawn.` : "."));
  set_hidden(by_id("pool"), total === 0);
  const told = by_tag.map((t) => `${tag_name(t.tag)} ${format_bytes(t.bytes)}`).join(", ");
  set_attribute(by_id("pool-canvas"), "aria-label", `Allocation map: ${told}`);
  pool_view.legend.show(by_tag, (t) => t.key);
  pool_view.holders.show(sum_by(held, (b) => `${b.tag} ${b.holder}`).slice(0, 10), (h) => h.key);
  draw_pool();
}

// Cuts the blocks into the pieces that fall on each line. Every region is at least a few pixels, and a gap apart from the next.
function lay_out_pool(width) {
  const { pool, blocks } = pool_view;
  const total = pool.regions.reduce((sum, r) => sum + r.bytes, 0);
  const gap = pool.regions.length > 80 ? 1 : 3;
  const lines = Math.min(pool_lines, Math.max(3, pool.regions.length));
  const scale = (lines * width - pool.regions.length * (gap + 1)) / total;
  const pieces = [];
  let x = 0, line = 0;
  const advance = (length) => {
    x += length;
    if (x > width - 0.5) {
      x = 0;
      ++line;
    }
  };
  blocks.forEach((block, i) => {
    let left = Math.max(block.bytes * scale, block.offset === 0 ? 1.5 : 0);
    const first = pieces.length;
    while (left > 0.01) {
      const length = Math.min(left, width - x);
      pieces.push({ x, y: line * (pool_line + pool_gap), width: length, block });
      left -= length;
      advance(length);
    }
    block.pieces = pieces.slice(first);
    if (blocks[i + 1] && blocks[i + 1].region !== block.region && x > 0) advance(gap);
  });
  pool_view.pieces = pieces;
  return (line + (x > 0 ? 1 : 0)) * (pool_line + pool_gap);
}

function hatch_pattern(draw) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = colours.idle;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = colours["idle-line"];
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (const shift of [-8, 0, 8]) {
    pen.moveTo(shift - 1, 9);
    pen.lineTo(shift + 9, -1);
  }
  pen.stroke();
  return draw.createPattern(tile, "repeat");
}

function draw_pool() {
  const canvas = by_id("pool-canvas"), width = pool_view.width;
  if (!pool_view.pool || width === 0) return;
  const height = lay_out_pool(width), density = devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  canvas.style.height = `${height}px`;
  const draw = canvas.getContext("2d");
  draw.scale(density, density);
  const hatch = hatch_pattern(draw);
  for (const { x, y, width: length, block } of pool_view.pieces) {
    draw.fillStyle = block.tag === idle_tag ? hatch : tag_colour(block.tag);
    // A hair between neighbours, where there is room for one.
    draw.fillRect(x, y, length > 3 ? length - 0.75 : length, pool_line);
  }
  draw.strokeStyle = colours.text;
  draw.lineWidth = 2;
  for (const { x, y, width: length } of pool_view.chosen?.pieces ?? []) {
    draw.strokeRect(x + 1, y + 1, Math.max(length - 2, 2), pool_line - 2);
  }
}

function block_at(x, y) {
  const line = Math.floor(y / (pool_line + pool_gap)) * (pool_line + pool_gap);
  return pool_view.pieces.find((p) => p.y === line && x >= p.x && x < p.x + Math.max(p.width, 1))?.block ?? null;
}

function choose_block(block) {
  if (block === pool_view.chosen) return;
  set_chosen(block);
  draw_pool();
}

function set_chosen(block) {
  pool_view.chosen = block ?? null;
  set_text(by_id("pool-block"), block ? describe_block(block) : "");
  set_hidden(by_id("pool-hint"), Boolean(block));
}

function describe_block(block) {
  const who = block.tag === idle_tag ? "idle" : `${tag_name(block.tag)}, held by ${block.holder || "the program"}`;
  return `${format_bytes(block.bytes)}, ${who}; at ${format_bytes(block.offset)} of region ${block.region + 1}`;
}

function step_through_blocks(event) {
  const blocks = pool_view.blocks;
  const place = blocks.indexOf(pool_view.chosen);
  const goals = {
    ArrowRight: place + 1, ArrowDown: place + 10, ArrowLeft: place - 1, ArrowUp: place - 10, Home: 0, End: blocks.length - 1,
  };
  if (event.key === "Escape") return choose_block(null);
  if (!(event.key in goals) || event.ctrlKey || event.altKey || event.metaKey || blocks.length === 0) return;
  event.preventDefault();
  choose_block(blocks[Math.max(0, Math.min(blocks.length - 1, goals[event.key]))]);
}

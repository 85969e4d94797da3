// Tables whose rows are kept by key, sorted by a click or a key press on a column's heading.

class SortedTable {
  // columns: [{key, title, number: true for what sorts downwards first, text: (row) => string, share: (row) => 0..1 for a bar}]
  constructor(frame, caption, columns, sorted_by, key_of) {
    this.columns = columns;
    this.key_of = key_of;
    const column = columns.find((c) => c.key === sorted_by);
    this.sort = { column, descending: Boolean(column.number) };
    this.rows = [];
    const table = element("table");
    table.append(element("caption", "unseen", caption));
    this.headings = this.make_head(table);
    this.body = new KeyedChildren(table.createTBody(), (row) => this.make_row(row), (node, row) => this.write_row(node, row));
    frame.append(table);
    this.mark_headings();
  }

  make_head(table) {
    const line = table.createTHead().insertRow();
    return this.columns.map((column) => {
      const heading = element("th", column.number ? "number" : "");
      heading.scope = "col";
      const button = element("button", "sort", column.title);
      button.type = "button";
      button.addEventListener("click", () => this.sort_by(column));
      heading.append(button);
      line.append(heading);
      return heading;
    });
  }

  sort_by(column) {
    const again = this.sort.column === column;
    this.sort = { column, descending: again ? !this.sort.descending : Boolean(column.number) };
    this.mark_headings();
    this.show(this.rows);
  }

  mark_headings() {
    this.headings.forEach((heading, i) => {
      const sorted = this.columns[i] === this.sort.column;
      heading.setAttribute("aria-sort", sorted ? (this.sort.descending ? "descending" : "ascending") : "none");
    });
  }

  make_row() {
    const row = element("tr");
    for (const column of this.columns) {
      const cell = element(column === this.columns[0] ? "th" : "td", column.number ? "number" : "");
      if (column === this.columns[0]) cell.scope = "row";
      if (column.share) {
        cell.classList.add("share");
        cell.append(element("span", "share-text"), element("span", "share-bar"));
      }
      row.append(cell);
    }
    return row;
  }

  write_row(node, row) {
    this.columns.forEach((column, i) => {
      const cell = node.cells[i];
      if (!column.share) {
        set_text(cell, column.text(row));
        if (i === 0) set_attribute(cell, "title", row.name);  // where there is no room for all of it
        return;
      }
      set_text(cell.firstChild, column.text(row));
      const filled = `${(100 * Math.min(1, column.share(row))).toFixed(1)}%`;
      if (cell.dataset.filled === filled) return;
      cell.dataset.filled = filled;
      cell.lastChild.style.setProperty("--filled", filled);
    });
  }

  show(rows) {
    this.rows = rows;
    const { column, descending } = this.sort;
    const sign = descending ? -1 : 1;
    const compare = (a, b) => {
      const x = a[column.key], y = b[column.key];
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return sign * order || this.key_of(a).localeCompare(this.key_of(b));
    };
    this.body.show([...rows].sort(compare), this.key_of);
  }
}

const on_device = (row) => `${row.device} ${row.name}`;
const name_column = { key: "name", title: "Name", text: (row) => row.name };
const device_column = { key: "device", title: "Device", text: (row) => row.device };
const share_column = { key: "share", title: "Share", number: true, text: (row) => format_share(row.share), share: (row) => row.share };
const number_column = (key, title, text) => ({ key, title, number: true, text: (row) => text(number_of(row[key])) });

let tables = null;

function make_tables() {
  tables = {
    kernels: new SortedTable(by_id("kernels"), "Time of each kernel on the device", [
      name_column,
      device_column,
      number_column("launches", "Launches", format_count),
      number_column("mean_us", "Mean µs", format_number),
      number_column("device_ms", "Total ms", format_number),
      share_column,
    ], "device_ms", on_device),
    operations: new SortedTable(by_id("operations"), "Time of each operation on host and device", [
      name_column,
      device_column,
      number_column("calls", "Calls", format_count),
      number_column("host_ms", "Host ms", format_number),
      number_column("device_ms", "Device ms", format_number),
      share_column,
    ], "device_ms", on_device),
    figures: new SortedTable(by_id("figures"), "Figures that the program recorded", [
      name_column,
      ...[["count", "Count"], ["last", "Last"], ["mean", "Mean"], ["least", "Least"], ["p50", "p50"], ["p90", "p90"], ["p99", "p99"],
          ["most", "Most"]].map(([key, title]) => number_column(key, title, key === "count" ? format_count : format_number)),
    ], "name", (row) => row.name),
  };
}

function show_tables(run) {
  tables.kernels.show(run.kernels);
  tables.operations.show(run.operations);
  const figures = Object.entries(run.figures).map(([name, figure]) => ({ name, ...figure }));
  tables.figures.show(figures);
  set_hidden(by_id("figures-card"), figures.length === 0);
  for (const name of ["kernels", "operations"]) {
    show_count(name, run[name].length);
    set_hidden(by_id(name), run[name].length === 0);
  }
}

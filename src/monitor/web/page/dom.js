// Writing into the document: only what has changed, and names only ever as text.

const by_id = (id) => document.getElementById(id);

function element(name, classes = "", text = "") {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

function set_text(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function set_attribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function set_hidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

// Makes the children of `parent` those of `items`, in order, one for each key. A child that stays is written over, and moved only
// where its place has changed, so that focus and scrolling are kept.
class KeyedChildren {
  constructor(parent, make, write) {
    this.parent = parent;
    this.make = make;
    this.write = write;
    this.nodes = new Map();
  }

  show(items, key_of) {
    const gone = new Set(this.nodes.keys());
    let place = this.parent.firstElementChild;
    for (const item of items) {
      const key = key_of(item);
      let node = this.nodes.get(key);
      if (!node) this.nodes.set(key, (node = this.make(item)));
      gone.delete(key);
      this.write(node, item);
      if (node === place) place = place.nextElementSibling;
      else this.parent.insertBefore(node, place);
    }
    for (const key of gone) {
      this.nodes.get(key).remove();
      this.nodes.delete(key);
    }
  }
}

// Beside a heading; or the line that there is nothing.
function show_count(name, count) {
  set_text(by_id(`${name}-count`), count ? format_count(count) : "");
  set_hidden(by_id(`${name}-none`), count > 0);
}

function announce(text) {
  set_text(by_id("announcer"), text);
}

// Where the clipboard is not for pages without a certificate, the old way.
async function copy_text(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(node);
    return document.execCommand("copy");
  }
}

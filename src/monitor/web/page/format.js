"use strict";
// How figures are written: numbers, bytes, shares and times.

// A number and its unit stay on one line; the space between them does not break.
const joined = (...parts) => parts.join("\u00a0");

const whole_number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

function format_count(value) {
  return whole_number.format(value);
}

// Three digits that matter: 0.00123, 0.342, 12.3, 1,234.
function format_number(value) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 100) return size < 1e9 ? whole_number.format(value) : value.toExponential(2);
  if (size !== 0 && size < 0.0001) return value.toExponential(2);
  const digits = size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  return value.toFixed(size === 0 ? 0 : digits);
}

function format_ms(value) {
  if (value > 0 && value < 0.1) return joined((1000 * value).toFixed(value < 0.01 ? 1 : 0), "µs");
  return joined(value < 10 ? value.toFixed(2) : format_number(value), "ms");
}

function format_bytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return joined(bytes.toFixed(unit === 0 || bytes >= 100 ? 0 : 1), units[unit]);
}

function format_share(share, digits = 1) {
  return joined((100 * share).toFixed(digits), "%");
}

// A small share keeps two digits that matter: 0.034 %.
function format_small_share(share) {
  if (share > 0 && share < 0.0001) return joined("<", "0.01", "%");
  return format_share(share, share < 0.01 ? 2 : 1);
}

function format_duration(seconds) {
  if (seconds < 10) return joined(seconds.toFixed(1), "s");
  const all = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  if (all < 60) return joined(all, "s");
  if (all < 3600) return joined(Math.floor(all / 60), "min", two(all % 60), "s");
  const hours = Math.floor(all / 3600);
  if (hours < 48) return joined(hours, "h", two(Math.floor((all % 3600) / 60)), "min");
  return joined(Math.floor(hours / 24), "d", two(hours % 24), "h");
}

// Of what nobody knows to the second.
function format_roughly(seconds) {
  if (seconds < 600) return seconds < 10 ? joined(Math.ceil(seconds), "s") : format_duration(seconds);
  return seconds < 3600 ? joined(Math.round(seconds / 60), "min") : format_duration(seconds);
}

// On an axis: 45 s is "0:45", two hours are "2:00:00".
function format_clock(seconds) {
  const all = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  if (all < 3600) return `${Math.floor(all / 60)}:${two(all % 60)}`;
  return `${Math.floor(all / 3600)}:${two(Math.floor((all % 3600) / 60))}:${two(all % 60)}`;
}

// JSON has no words for what is not finite, so it is written as text.
function number_of(value) {
  if (typeof value === "number" || value === null || value === undefined) return value ?? null;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN;
}

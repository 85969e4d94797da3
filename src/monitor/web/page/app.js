"use strict";
(async () => {
  const inside = document.getElementById("run-data").textContent.trim();
  const run = inside ? JSON.parse(inside) : await (await fetch("run.json" + location.search)).json();
  document.getElementById("run").textContent = JSON.stringify(run, null, 2);
})();

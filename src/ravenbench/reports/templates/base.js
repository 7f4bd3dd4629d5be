"use strict";
for (const table of document.querySelectorAll(".table table")) {
  if (!table.tHead.rows[0].cells[0].querySelector("button")) continue;
  const heads = table.tHead.rows[0].cells;
  const value = (row, i) => {
    const v = row.cells[i].dataset.v;
    return v === undefined ? row.cells[i].textContent : v === "" ? null : Number(v);
  };
  Array.from(heads).forEach((head, i) => head.firstElementChild.addEventListener("click", () => {
    const numeric = head.classList.contains("n");
    const was = head.getAttribute("aria-sort");
    const up = was ? was === "descending" : !numeric;
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = Array.from(table.tBodies[0].rows).sort((a, b) => {
      const x = value(a, i), y = value(b, i);
      if (x === null || y === null) return (x === null) - (y === null);
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return up ? order : -order;
    });
    table.tBodies[0].append(...rows);
  }));
}
for (const table of document.querySelectorAll(".table table")) {
  const titles = Array.from(table.tHead.rows[0].cells, head => head.textContent);
  for (const row of table.tBodies[0].rows) Array.from(row.cells, (cell, i) => { cell.dataset.t = titles[i]; });
}
// Where a table would lose columns it is set closer; where it still would (A4: 610 pixels of type of 14), each row is a card.
const PAPER = 610 / 14;
let printing = false;
const wide = () => {
  const paper = PAPER * parseFloat(getComputedStyle(document.body).fontSize);
  for (const place of document.querySelectorAll(".table > .scroll")) {
    const table = place.querySelector("table"), kinds = place.parentElement.classList;
    kinds.remove("close", "cards");
    for (const kind of ["close", "cards"]) {
      table.style.width = "min-content";
      kinds.toggle(kind, table.offsetWidth > (printing ? paper : place.clientWidth));
      table.style.width = "";
    }
  }
};
addEventListener("resize", wide);
addEventListener("toggle", wide, true);
wide();
let closed = [];
addEventListener("beforeprint", () => {
  closed = Array.from(document.querySelectorAll("details:not([open], .bibtex, details details)"));
  for (const d of closed) d.open = true;
  printing = true;
  wide();
});
addEventListener("afterprint", () => {
  for (const d of closed) d.open = false;
  printing = false;
  wide();
});
for (const field of document.querySelectorAll("input[data-filter]")) {
  const rows = Array.from(document.getElementById(field.dataset.filter).tBodies[0].rows);
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
  });
}

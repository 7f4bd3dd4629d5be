"use strict";
const said = document.getElementById("said"), bar = document.getElementById("progress");
const source = new EventSource(said.dataset.events);
const show = text => {
  const lines = Array.from(text.matchAll(/^(.*): ([\d,]+) of ([\d,]+)(, .*)?$/gm)), last = lines[lines.length - 1];
  if (!last) return;
  bar.max = Number(last[3].replaceAll(",", ""));
  bar.value = Number(last[2].replaceAll(",", ""));
  document.getElementById("stage").textContent = last[0];
};
show(said.textContent);
source.addEventListener("message", event => {
  const text = JSON.parse(event.data);
  said.append(text);
  show(text);
});
source.addEventListener("end", () => { source.close(); location.replace(location.pathname + "?open"); });

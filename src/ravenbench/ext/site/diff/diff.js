(() => {
  const $ = (s) => document.querySelector(s), all = (s) => Array.from(document.querySelectorAll(s));
  const about = JSON.parse($("#about").textContent), text = $(".text"), body = document.body;
  const heading = $("h1"), plainTitle = document.title, faults = [];
  let seenOriginal = !body.classList.contains("blind"), gradedBlind = false, at = -1;
  for (const e of all("[data-js]")) e.hidden = false;
  const pairs = all(".pair");
  const press = (id, on) => $(id).setAttribute("aria-pressed", String(on));
  // Reading aids would tell a blind reader where to look.
  const blind = (on) => {
    body.classList.toggle("blind", on);
    if (!on) seenOriginal = true;
    else {
      text.classList.remove("shaded");
      press("#shade", false);
      for (const p of pairs) p.classList.remove("here");
    }
    document.title = heading.textContent = on ? "A text to read" : plainTitle;
    press("#blind", on);
  };
  const go = (step) => {
    if (!pairs.length || body.classList.contains("blind")) return;
    if (at >= 0) pairs[at].classList.remove("here");
    at = (at + step + pairs.length + (at < 0 && step < 0 ? 1 : 0)) % pairs.length;
    pairs[at].classList.add("here");
    pairs[at].focus({ preventScroll: true });
    pairs[at].scrollIntoView({ block: "center" });
    $("#place").textContent = `${at + 1} of ${pairs.length}`;
  };
  const shade = () => body.classList.contains("blind") || press("#shade", text.classList.toggle("shaded"));
  const units = () => {
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT, {
      acceptNode: (n) => n.parentElement.closest(".row") && !n.parentElement.closest(".o")
        ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
    });
    const nodes = [];
    while (walk.nextNode()) nodes.push(walk.currentNode);
    return nodes;
  };
  const mark = () => {
    const s = getSelection();
    if (!s.rangeCount || s.isCollapsed) return;
    const range = s.getRangeAt(0), cuts = [];
    let sum = 0, start = null, end = null;
    for (const n of units()) {
      if (range.intersectsNode(n)) {
        const from = n === range.startContainer ? range.startOffset : 0;
        const to = n === range.endContainer ? range.endOffset : n.data.length;
        if (from < to) {
          if (start === null) start = sum + from;
          end = sum + to;
          cuts.push([n, from, to]);
        }
      }
      sum += n.data.length;
    }
    if (start === null) return;
    const quoted = cuts.map(([n, from, to]) => n.data.slice(from, to)).join("");
    faults.push({ start, end, text: quoted, blind: body.classList.contains("blind") });
    for (const [n, from, to] of cuts) {
      const piece = document.createRange(), span = document.createElement("span");
      piece.setStart(n, from);
      piece.setEnd(n, to);
      span.className = "fault";
      piece.surroundContents(span);
    }
    s.removeAllRanges();
    const item = document.createElement("li");
    item.textContent = quoted;
    $("#faults").append(item);
  };
  const chosen = (name) => (all(`input[name=${name}]`).find((e) => e.checked) || { value: null }).value;
  const grade = (value) => {
    for (const e of all("input[name=grade]")) if (e.value === value) e.checked = true;
    gradedBlind = !seenOriginal;
  };
  for (const e of all("input[name=grade]")) e.addEventListener("change", () => grade(e.value));
  const record = () => JSON.stringify({
    ...about, grader: $("#grader").value.trim(), grade: chosen("grade") === null ? null : Number(chosen("grade")), graded_blind: gradedBlind,
    verdict: chosen("verdict"), faults, notes: $("#notes").value, reviewed: new Date().toISOString(),
  }, null, 1);
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([record()], { type: "application/json" }));
    const who = $("#grader").value.trim().replace(/[^\p{L}\p{N}]+/gu, "-");
    link.download = `review-${who ? who + "-" : ""}${about.rewritten.slice(0, 12)}.json`;
    try { localStorage.setItem("grader", $("#grader").value); } catch { /* no store: the name is typed again */ }
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  $("#blind").addEventListener("click", () => blind(!body.classList.contains("blind")));
  $("#shade").addEventListener("click", shade);
  $("#next").addEventListener("click", () => go(1));
  $("#back").addEventListener("click", () => go(-1));
  $("#mark").addEventListener("mousedown", (e) => e.preventDefault());
  $("#mark").addEventListener("click", mark);
  $("#save").addEventListener("click", save);
  try { $("#grader").value = localStorage.getItem("grader") || ""; } catch { /* no store */ }
  const keys = { j: () => go(1), k: () => go(-1), s: shade, m: mark, e: save,
    b: () => blind(!body.classList.contains("blind")) };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(TEXTAREA|INPUT|SELECT)$/.test(e.target.tagName)) return;
    if (/^[1-5]$/.test(e.key)) grade(e.key);
    else if (keys[e.key]) keys[e.key]();
    else return;
    e.preventDefault();
  });
  if (body.classList.contains("blind")) blind(true);
})();

// The address, folds, copies, a busy server, and results.

// The page is English, whatever the browser prefers: Gradio would translate parts of it.
for (const [name, value] of [["language", "en"], ["languages", ["en"]]])
  Object.defineProperty(navigator, name, { get: () => value });
document.documentElement.lang = "en";

// The address is a link to what is open: a tab, to which the Back button returns, or an example.
const addresses = { why: "", examples: "" }; // of tabs; of others it is their name
const goTo = (query, method = "replaceState") =>
  location.search === query || history[method](null, "", location.pathname + query);
const WAYS = ["examples", "guess", "simulate"], DOORS = ["why", "mine", "compare", "use"];
const OLDER = { score: "why", paste: "mine", lists: "mine", file: "mine" };

// The door and the way that an address opens
function placeOf(query) {
  const asked = new URLSearchParams(query), name = asked.get("tab"), tab = OLDER[name] ?? name;
  if (tab !== "compare" && (asked.has("counts") || asked.has("class"))) return ["mine", "examples"];
  return WAYS.includes(tab) ? ["why", tab] : [DOORS.includes(tab) ? tab : "why", "examples"];
}

// Scores of counts of two classes
function scoresOf([[a, b], [c, d]]) {
  const n = a + b + c + d, bits = (x, row, column) => x && x / n * Math.log2(n * x / row / column);
  const passed = bits(a, a + b, a + c) + bits(b, a + b, b + d) + bits(c, c + d, a + c) + bits(d, c + d, b + d);
  const f1_macro = a / (2 * a + b + c) + d / (2 * d + b + c);
  return { accuracy: (a + d) / n, informedness: a / (a + b) - c / (c + d), f1_macro, nit: 2 ** passed / 2 };
}

function shownScore(name, value) {
  const percent = value < 1 && value > 0.995 ? "over 99%" : `${Math.round(100 * value + 1e-9)}%`;
  return name === "accuracy" ? percent : value.toFixed(2).replace("-0.00", "0.00").replace("-", "\u2212");
}

(() => {
  let isMoving = false; // by a link or the Back button: tabs that are opened then are no step
  const tabOf = (name) => document.querySelector(`[role=tab][data-tab-id="${name}"]`);
  const chips = () => [...document.querySelectorAll("#examples input")];
  const move = (query) => {
    const [door, way] = placeOf(query), example = new URLSearchParams(query).get("example");
    isMoving = true;
    tabOf(door)?.click();
    if (door === "why") tabOf(way)?.click();
    if (door === "why" && way === "examples") chips()[(example ?? 1) - 1]?.click();
    isMoving = false;
  };
  addEventListener("popstate", () => move(location.search));
  const open = new Set();
  document.addEventListener("click", async (event) => {
    const { target } = event, name = target.closest("[role=tab]")?.dataset.tabId, fold = target.closest("[data-fold]");
    if (name && !isMoving) {
      const way = name === "why" ? document.querySelector("#ways [aria-selected=true]")?.dataset.tabId : name;
      goTo(addresses[way] ?? `?tab=${way}`, "pushState");
    } else if (target.matches("a[href^='?tab=']:not([target])") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      move(target.search);
      goTo(target.search, "pushState");
    } else if (fold && target.closest("summary")) { // it stays open when the result is drawn anew
      open[fold.open ? "delete" : "add"](fold.dataset.fold);
    } else if (target.matches("button.remedy")) results.remedy(target);
    else if (target.matches("button.copy")) {
      const { copy, link } = target.dataset;
      const text = link ? new URL(link, location).href : copy ?? target.previousElementSibling.textContent;
      const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
      target.dataset.done = await copied.then(() => "copied", () => "not allowed here");
    }
  });
  addEventListener("input", ({ target }) => {
    const number = chips().indexOf(target) + 1;
    if (number) addresses.examples = number > 1 ? `?example=${number}` : "";
    if (number && !isMoving) goTo(addresses.examples, "pushState");
  });
  if (location.search.startsWith("?example=")) addresses.examples = location.search;
  new MutationObserver(() => {
    for (const fold of document.querySelectorAll("[data-fold]:not([open])"))
      if (open.has(fold.dataset.fold)) fold.open = true;
    // Gradio gives each radio a name of its own, so that arrow keys do not move among them.
    for (const radio of chips()) if (radio.name !== "example") radio.name = "example";
    results.press();
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["open", "name"] });
  // A server with a full queue is asked again.
  const { fetch } = window;
  window.fetch = async (...request) => {
    let answer = await fetch(...request);
    for (let seconds = 1; answer.status === 503 && seconds < 64; seconds *= 2) {
      document.querySelector("#busy").hidden = false;
      await new Promise((go) => setTimeout(go, 1000 * seconds * (0.5 + Math.random())));
      answer = await fetch(...request);
      document.querySelector("#busy").hidden = true;
    }
    return answer;
  };
})();

// Results are hidden until they are of their inputs, which outlive a reload and are never in the address.
const results = (() => {
  const benchOf = (name) => document.getElementById(`${name}-bench`);
  const isLinked = /[?&](counts|class|example)=/.test(location.search);
  if (isLinked) document.documentElement.classList.add("linked"); // until app.py has opened the link
  const isAnew = isLinked || performance.getEntriesByType("navigation")[0].type === "navigate";
  let kept = {}; // inputs by door
  try { if (!isAnew) kept = JSON.parse(sessionStorage.kept); } catch {} // there may be no storage
  addEventListener("pagehide", () => {
    try { sessionStorage.kept = JSON.stringify(kept); } catch {} // or too little
  });
  const waiting = new Set(); // doors to be asked as soon as they are open
  const changes = {}, askedAt = {};
  let chosen; // the remedy that was pressed
  let brings; // the door whose answer scrolls into view
  addEventListener("click", ({ target, isTrusted }) => {
    if (isTrusted && target.closest("button.primary, .remedy")) brings = nameOf(target);
  }, { capture: true });
  const nameOf = (part) => part.closest(".workbench")?.id.replace("-bench", "");

  function changed(name) {
    changes[name] = 1 + (changes[name] ?? 0);
    benchOf(name).toggleAttribute("data-stale", true);
    if (askedAt[name] && location.search.includes("counts=")) goTo(`?tab=${name}`);
  }

  // Gradio's own `input` event of a text box does not fire on paste, so listen to the browser's.
  addEventListener("input", ({ target }) => nameOf(target) && changed(nameOf(target)));

  function asked(name, names, inputs) {
    const { set, to } = chosen ?? {}, at = names.indexOf(set);
    chosen = undefined;
    if (at >= 0) inputs[at] = Array.isArray(inputs[at]) ? [...inputs[at], to] : to;
    kept[name] = inputs;
    changed(name);
    askedAt[name] = changes[name];
    return inputs;
  }

  function answered(name) {
    if (askedAt[name] !== changes[name]) return; // there are newer inputs
    const bench = benchOf(name), rates = bench.querySelector("[data-rates]")?.dataset.rates;
    bench.removeAttribute("data-stale");
    document.querySelector("#grid table")?.rate?.(JSON.parse(rates ?? "{}"));
    if (brings === name) view(bench.querySelector("[role=alert]") ?? bench.querySelector(".result"));
    brings = undefined;
  }

  // On the Hub the page is in a frame as tall as its content, and a script of the Hub scrolls.
  function view(part) {
    part?.scrollIntoView({ block: "nearest" });
    if (part) window.parentIFrame?.scrollToOffset(0, part.getBoundingClientRect().top + scrollY);
  }

  function press() {
    for (const name of waiting) {
      const button = document.getElementById(`${name}-button`);
      if (button?.offsetParent && waiting.delete(name)) button.click();
    }
  }

  // What app.py selects and puts into inputs
  function restored(sent) {
    const place = placeOf(location.search).map((selected) => ({ __type__: "update", selected }));
    const isWhole = (name) => kept[name]?.length === sent[name].length; // and not of an older version
    for (const name in sent) if (isWhole(name)) waiting.add(name);
    const values = Object.keys(sent).flatMap((name) => isWhole(name) ? kept[name] : sent[name].map(() => ({ __type__: "update" })));
    return [...place, ...values];
  }

  function linked() {
    document.documentElement.classList.remove("linked");
    if (/[?&](counts|class)=/.test(location.search)) waiting.add(placeOf(location.search)[0]);
    press();
  }

  const remedy = (button) => { chosen = button.dataset; document.getElementById(`${nameOf(button)}-button`).click(); };
  return { answered, asked, linked, press, remedy, restored };
})();
// A long paste is taken as a file: laying it out in a box can freeze the tab for seconds.

document.addEventListener("paste", (event) => {
  const most = 5000, longest = 500000; // lines, characters
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const inputs = event.target.closest?.(".takes-rows")?.closest(".inputs");
  if (!inputs || (text.length < longest && text.split("\n", most).length < most)) return;
  event.preventDefault();
  event.stopPropagation();
  const sent = new DataTransfer(), ending = /^\s*(\[\s*)?\{/.test(text) ? "json" : "csv";
  sent.items.add(new File([text], `pasted.${ending}`));
  const send = () => {
    const field = inputs.querySelector("input[type=file]");
    if (!field) { // not drawn yet, or it holds a file
      inputs.querySelector("[aria-label=Clear]")?.click();
      return requestAnimationFrame(send);
    }
    field.files = sent.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  send();
}, { capture: true });

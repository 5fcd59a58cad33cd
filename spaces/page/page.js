// The address, the steps, folds, copies, a busy server, and results: grey or kept.

// The address is a link to what is open: a tab, to which the Back button returns, or an example.
const addresses = { score: "", matrix: "" }; // of tabs; of others it is their name
const goTo = (query, method = "replaceState") =>
  location.search === query || history[method](null, "", location.pathname + query);

(() => {
  let step; // the chip of the example that is open
  let isMoving = false; // by a link or the Back button: tabs that are opened then are no step
  const addressOf = (tab) => addresses[tab] ?? `?tab=${tab}`;
  const find = (tab) => document.querySelector(`[role=tab][data-tab-id="${CSS.escape(tab)}"]`);
  const move = (query) => {
    const asked = new URLSearchParams(query), tab = find(asked.get("tab")) ?? find("score");
    if (!tab) return; // app.py opens what the address says once there is a page
    isMoving = true;
    if (tab.closest("#asked")) find("score").click();
    tab.click();
    document.querySelectorAll("#examples label")[asked.get("example") - 1]?.click();
    isMoving = false;
  };
  addEventListener("popstate", () => move(location.search));
  const open = new Set();
  document.addEventListener("click", async (event) => {
    const { target } = event, tab = target.closest("[role=tab]"), fold = target.closest("[data-fold]");
    const name = tab?.dataset.tabId;
    if (name && !tab.closest("#asked-models") && !isMoving) { // how models are given has no address
      const query = addressOf(name);
      if (tab.closest("#asked")) addresses.score = query;
      goTo(query, "pushState");
    } else if (target.matches("a[href^='?tab=']:not([target])") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      move(target.search);
      goTo(target.search, "pushState");
    } else if (target.id === "next") {
      const after = step ? step.nextElementSibling : document.querySelector("#examples label");
      (after ?? find("guess")).click();
    } else if (fold && target.closest("summary")) { // it stays open when the result is drawn anew
      open[fold.open ? "delete" : "add"](fold.dataset.fold);
    } else if (target.matches(".copy")) {
      const { copy, link } = target.dataset;
      const text = link ? new URL(link, location).href : copy ?? target.previousElementSibling.textContent;
      const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
      target.dataset.done = await copied.then(() => "copied", () => "not allowed here");
    }
  });
  new MutationObserver(() => {
    for (const fold of document.querySelectorAll("[data-fold]:not([open])"))
      if (open.has(fold.dataset.fold)) fold.open = true;
    // Gradio gives each radio a name of its own, so that arrow keys do not move among them.
    for (const radio of document.querySelectorAll("#examples input:not([name=example])"))
      radio.name = "example";
    const chip = document.querySelector("#examples label.selected");
    const next = document.querySelector("#next"), says = chip?.matches(":last-child") ? "Guess" : "Next";
    if (next && next.textContent.trim() !== says) next.textContent = says; // a tab, after the last step
    if (step && chip !== step) {
      const way = document.querySelector("#asked [role=tab][aria-selected=true]").dataset.tabId;
      addresses.score = chip ? `?example=${parseInt(chip.textContent)}` : addressOf(way);
      const method = chip ? "pushState" : "replaceState"; // what is typed replaces an example
      if (chip || location.search.startsWith("?example")) goTo(addresses.score, method);
    }
    step = chip;
    results.fill();
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

// Results: grey from a change of their inputs until they are of the inputs as they are. With what
// was pasted they outlive a reload of this tab of the browser; neither is ever in the address.
const results = (() => {
  const found = (name) => document.getElementById(name);
  const storyOf = (input) => input.closest(".workbench").querySelector(".story");
  const labelOf = (box) => box.closest("label").innerText.split("\n")[0];
  const isLinked = /[?&](counts|class|example)=/.test(location.search);
  if (isLinked) document.documentElement.classList.add("linked"); // until app.py has opened the link
  const isAnew = isLinked || performance.getEntriesByType("navigation")[0].type === "navigate";
  let kept = {};
  try { kept = isAnew ? {} : JSON.parse(sessionStorage.kept); } catch {} // there may be no storage
  addEventListener("pagehide", () => {
    for (const story of document.querySelectorAll(".workbench > .story")) {
      const [told, details] = [story, found(`${story.id}-details`)].map((part) => part.querySelector(".viz"));
      const { texts } = (kept[story.id] ??= { texts: {} });
      const isOwn = !("stale" in story.dataset) && !told.querySelector(".told"); // no example
      kept[story.id].parts = isOwn ? [told.outerHTML, details.outerHTML, results.counts()] : [];
      for (const box of story.parentElement.querySelectorAll("textarea")) texts[labelOf(box)] = box.value;
    }
    try { sessionStorage.kept = JSON.stringify(kept); } catch {} // or too little
  });

  const fill = () => {
    for (const box of document.querySelectorAll(".workbench textarea:not([data-kept])")) {
      const { texts, parts } = kept[storyOf(box).id] ?? {}, text = texts?.[labelOf(box)];
      box.dataset.kept = "";
      if (!text || text === box.value) continue;
      box.value = text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      if (parts.length) delete storyOf(box).dataset.stale;
    }
  };

  // What app.py puts into a result, its details and the matrix
  const restored = (name, n) => Array.from(Array(n), (_, i) => kept[name]?.parts[i] ?? { __type__: "update" });

  const changed = (name) => {
    const result = found(name);
    result.changes = 1 + (result.changes ?? 0);
    result.dataset.stale = "";
    if (location.search.includes("counts=")) goTo(name === "result" ? addresses.score : "?tab=compare");
  };

  // Gradio's own `input` event of a text box does not fire on paste, so listen to the browser's.
  addEventListener("input", ({ target }) => target.closest(".inputs") && changed(storyOf(target).id));

  let touched = false; // since somebody asked: an answer then leaves the page where it is
  for (const kind of ["pointerdown", "keydown", "wheel"])
    addEventListener(kind, () => { touched = true; }, { capture: true, passive: true });

  const asked = (name, bring, inputs) => {
    if (bring) touched = false;
    const result = found(name); // a tab that was never open has none
    if (result) result.asked = result.changes;
    return inputs;
  };

  // On a phone the result is below the button. On the Hub the page is in a frame as tall as its
  // content, of which an observer tells what is visible, and the script that sizes the frame scrolls.
  const answered = (name, bring, refused) => {
    const result = found(name);
    if (!result) return;
    if (refused) result.dataset.stale = "";
    else if (result.asked === result.changes) delete result.dataset.stale;
    if (refused || !bring) return;
    const score = result.querySelector("#lead, #verdict") ?? result;
    new IntersectionObserver(([seen], observer) => {
      observer.disconnect();
      if (touched || seen.intersectionRatio > 0.99) return;
      score.scrollIntoView();
      window.parentIFrame?.scrollToOffset(0, score.getBoundingClientRect().top + scrollY);
    }).observe(score);
  };

  return { answered, asked, changed, fill, restored };
})();

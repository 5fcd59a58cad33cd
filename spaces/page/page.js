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
    results.mark();
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

// Results: grey from a change of their inputs until they are of the inputs as they are. With their
// inputs they outlive a reload of this tab of the browser; neither is ever in the address.
const results = (() => {
  const found = (name) => document.getElementById(name);
  const storyOf = (input) => input.closest(".workbench").querySelector(".story");
  const stale = new Set();
  const mark = () => {
    for (const story of document.querySelectorAll(".story"))
      story.toggleAttribute("data-stale", stale.has(story.id));
  };
  const isLinked = /[?&](counts|class|example)=/.test(location.search);
  if (isLinked) document.documentElement.classList.add("linked"); // until app.py has opened the link
  const isAnew = isLinked || performance.getEntriesByType("navigation")[0].type === "navigate";
  let kept = {};
  try { kept = isAnew ? {} : JSON.parse(sessionStorage.kept); } catch {} // there may be no storage
  addEventListener("pagehide", () => {
    for (const story of document.querySelectorAll(".workbench > .story")) {
      const isExample = story.querySelector(".told"), isOld = stale.has(story.id);
      if (isExample || isOld) delete kept[story.id];
      if (isExample && !isOld) delete kept["score-matrix"];
    }
    try { sessionStorage.kept = JSON.stringify(kept); } catch {} // or too little
  });

  // What app.py puts into a result and its inputs, of which `sizes` has the numbers
  const restored = (name, sizes) => {
    const [used] = Object.keys(sizes).filter((key) => kept[key]);
    if (used && !kept[name]) { // it was not scored, or refused
      changed(name);
      press(used);
    }
    return Object.entries(sizes).flatMap(([key, n]) => kept[key] ?? Array(n).fill({ __type__: "update" }));
  };

  const changed = (name) => {
    const result = found(name);
    if (result) result.changes = 1 + (result.changes ?? 0);
    stale.add(name);
    mark();
    if (location.search.includes("counts=")) goTo(name === "result" ? addresses.score : "?tab=compare");
  };

  // Gradio's own `input` event of a text box does not fire on paste, so listen to the browser's.
  addEventListener("input", ({ target }) => target.closest(".inputs") && changed(storyOf(target).id));

  let touched = false; // since somebody asked: an answer then leaves the page where it is
  for (const kind of ["pointerdown", "keydown", "wheel"])
    addEventListener(kind, () => { touched = true; }, { capture: true, passive: true });

  let isPressed = false; // by this script, which leaves the page where it is, too
  const press = (id) => requestAnimationFrame(() => {
    const button = found(id);
    if (!button?.offsetParent || !stale.has(storyOf(button).id)) return;
    isPressed = true;
    button.click();
  });

  const changesOf = (name) => found(name)?.changes; // a tab that was never open has none
  const askedAt = {};

  const asked = (name, number, bring, inputs) => {
    if (bring) [touched, isPressed] = [isPressed, false];
    askedAt[name + number] = changesOf(name);
    return inputs;
  };

  // An answer of earlier inputs leaves the refusals as they are: they may be of those of now.
  const answered = (name, number, bring, shownIn, refused) => {
    const isOld = askedAt[name + number] !== changesOf(name);
    if (!isOld) stale[refused ? "add" : "delete"](name);
    mark();
    if (bring && !isOld) view(name, refused);
    return shownIn.map((isHere) =>
      isOld || (refused && !isHere) ? { __type__: "update" } : refused);
  };

  // On a phone the result is below the button. On the Hub the page is in a frame as tall as its
  // content, of which an observer tells what is visible, and the script that sizes the frame scrolls.
  const view = (name, refused) => {
    const result = found(name);
    const parts = refused ? result.parentElement.querySelectorAll("[role=alert]")
      : result.querySelectorAll("#lead, #verdict");
    const part = [...parts].find((one) => one.offsetParent) ?? result;
    new IntersectionObserver(([seen], observer) => {
      observer.disconnect();
      if (touched || seen.intersectionRatio > 0.99) return;
      part.scrollIntoView({ block: refused ? "center" : "start" });
      window.parentIFrame?.scrollToOffset(0, part.getBoundingClientRect().top + scrollY);
    }).observe(part);
  };

  return { answered, asked, changed, keep: (name, values) => { kept[name] = values; }, mark, press, restored };
})();

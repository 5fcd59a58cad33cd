// What was unfolded, the steps of the examples, the address, and results that are grey.

// For grid.js and guess.js
const make = (tag, properties = {}, children = []) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

(() => {
  let step; // the chip of the example that is open

  // The address can be copied as a link to the tab or the example that is open.
  const address = (query) => history.replaceState(null, "", location.pathname + query);
  document.addEventListener("click", ({ target }) => {
    const tab = target.closest?.("[role=tab]")?.dataset.tabId;
    if (/^(score|guess|simulate|compare|use)$/.test(tab)) address(tab === "score" ? "" : `?tab=${tab}`);
    if (target.id === "next") {
      const after = step ? step.nextElementSibling : document.querySelector("#examples label");
      (after ?? document.querySelector("[data-tab-id=guess]")).click();
    }
  });

  // What was unfolded stays so when a result is drawn anew, for which Gradio folds it.
  const open = new Set();
  const foldOf = (node) => node.closest?.("summary")?.closest("[data-fold]");
  document.addEventListener("click", ({ target }) => {
    const fold = foldOf(target);
    if (fold) open[fold.open ? "delete" : "add"](fold.dataset.fold);
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
    if (step && chip !== step) address(chip ? `?example=${parseInt(chip.textContent)}` : "");
    step = chip;
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["open", "name"] });

  const query = new URLSearchParams(location.search);
  if (query.has("counts") || query.has("example"))
    document.documentElement.classList.add("linked"); // until app.py has opened the link
})();

// Results: grey from a change of their inputs until they are of the inputs as they are

const results = (() => {
  const found = (name) => document.getElementById(name);

  const changed = (name) => {
    const result = found(name);
    result.changes = 1 + (result.changes ?? 0);
    result.dataset.stale = "";
  };

  // Gradio's own `input` event of a text box does not fire on paste, so listen to the browser's.
  addEventListener("input", ({ target }) => {
    const name = target.closest(".inputs")?.parentElement.querySelector(".story").id;
    if (name) changed(name);
  });

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
  // content, so only the page around it can scroll: an observer tells which part of the frame is
  // visible, and the script that sizes the frame scrolls on request.
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

  return { answered, asked, changed };
})();

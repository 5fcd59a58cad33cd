// Dragging with the pointer (the point of a simulation, and the borders between its class shares),
// and results that are grey. Every move is written into a control that can also be used from the
// keyboard.

(() => {
  const LEFT = 32, WIDTH = 308, BOX = 360; // of the charts, as in curves.py

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
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["open"] });

  if (new URLSearchParams(location.search).has("counts"))
    document.documentElement.classList.add("linked"); // until app.py has opened the link

  const write = (field, value) => {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

  const placeIn = (chart, event) => {
    const { left, width } = chart.querySelector("svg").getBoundingClientRect();
    return clamp((((event.clientX - left) / width) * BOX - LEFT) / WIDTH, 0, 1);
  };

  // Charts: read the values at the pointer, and drag the point

  const read = (chart, at) => {
    const { places, series } = JSON.parse(chart.dataset.curves);
    let i = places.findIndex((place) => place >= at);
    i = i < 0 ? places.length - 1 : i;
    if (i > 0 && at - places[i - 1] < places[i] - at) i -= 1;
    const x = LEFT + WIDTH * places[i];
    chart.querySelector(".guide").setAttribute("d", `M${x} 8V208`);
    chart.querySelector("caption").textContent = `${chart.dataset.what} = ${Math.round(100 * places[i])}%`;
    for (const cell of chart.querySelectorAll("[data-score]"))
      cell.textContent = series[cell.dataset.score][i].toFixed(3);
  };

  const moveAbility = (chart, event) => {
    const slider = document.querySelector("#ability input[type=range]");
    write(slider, placeIn(chart, event).toFixed(2));
  };

  const moveShare = (chart, event) => {
    const shares = sharesNow();
    const share = 100 * clamp(placeIn(chart, event), 0.01, 0.99);
    const rest = shares.slice(1).reduce((sum, other) => sum + other, 0);
    setShares([share, ...shares.slice(1).map((other) => (other * (100 - share)) / rest)]);
  };

  // Shares

  const bar = () => document.querySelector(".shares");
  const sharesNow = () =>
    [...bar().querySelectorAll(".share")].map((part) => Number(part.style.flexGrow));

  const setShares = (shares) => {
    const tenths = shares.map((share) => Math.round(10 * share) / 10);
    const parts = bar().querySelectorAll(".share");
    const borders = bar().querySelectorAll(".border");
    let end = 0;
    tenths.forEach((share, i) => {
      parts[i].style.flexGrow = share;
      parts[i].firstElementChild.textContent = `${share}%`;
      end += share;
      if (!borders[i]) return;
      borders[i].setAttribute("aria-valuenow", end.toFixed(1));
      borders[i].setAttribute("aria-valuetext", `class ${i + 1}: ${share}%`);
    });
    write(document.querySelector("#shares textarea, #shares input"), tenths.join(", "));
  };

  const moveBorder = (border, by) => {
    const shares = sharesNow();
    const i = [...bar().querySelectorAll(".border")].indexOf(border);
    const moved = clamp(by, 1 - shares[i], shares[i + 1] - 1);
    shares[i] += moved;
    shares[i + 1] -= moved;
    setShares(shares);
  };

  const toPointer = (border, event) => {
    const { left, width } = bar().getBoundingClientRect();
    const at = (100 * (event.clientX - left)) / width;
    moveBorder(border, Math.round(at - Number(border.getAttribute("aria-valuenow"))));
  };

  // Charts are redrawn while they are dragged, so look them up again each time

  let drag = null;
  const chartOf = (event) => event.target.closest?.(".chart svg")?.closest(".chart");

  document.addEventListener("pointerdown", (event) => {
    const border = event.target.closest?.(".shares .border");
    const chart = chartOf(event);
    if (border) drag = (moved) => toPointer(border, moved);
    else if (chart) {
      const move = chart.id === "over-ability" ? moveAbility : moveShare;
      drag = (moved) => move(document.getElementById(chart.id), moved);
    } else return;
    event.preventDefault();
    border?.focus();
    drag(event);
  });
  document.addEventListener("pointermove", (event) => {
    const chart = chartOf(event);
    if (drag) drag(event);
    else if (chart) read(chart, placeIn(chart, event));
  });
  for (const end of ["pointerup", "pointercancel"])
    document.addEventListener(end, () => { drag = null; });
  document.addEventListener("pointerout", (event) => {
    const chart = chartOf(event);
    if (chart && !drag && !chart.querySelector("svg").contains(event.relatedTarget))
      read(chart, Number(chart.dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    const border = event.target.closest?.(".shares .border");
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
      Home: -100, End: 100 };
    if (!border || !(event.key in steps)) return;
    event.preventDefault();
    moveBorder(border, steps[event.key]);
  });
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
    found(name).asked = found(name).changes;
    return inputs;
  };

  // On a phone the result is below the button. On the Hub the page is in a frame as tall as its
  // content, so only the page around it can scroll: an observer tells which part of the frame is
  // visible, and the script that sizes the frame scrolls on request.
  const answered = (name, bring, refused) => {
    const result = found(name);
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

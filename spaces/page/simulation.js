// Two filters, drawn as a handle moves without asking the server; simulation.html has the parts.
// `element` comes from gr.HTML, `addresses` and `goTo` from page.js.
const [refusal, words, link] = element.querySelectorAll(".refusal, [role=status], [target]");
const handles = [...element.querySelectorAll("input")]; // in percent: spam, and what is known
let moved; // the handle that the traces are of

// Of a cell of a hundred, by its row and its column
const bits = (n, row, column) => n && n / 100 * Math.log2(100 * n / row / column);

function show(model, scores, counts) {
  const kinds = Object.entries(counts).flatMap(([kind, n]) => Array(n).fill(kind));
  element.querySelectorAll(`#${model} .field i`).forEach((square, i) => { square.className = kinds[i]; });
  for (const [name, at] of Object.entries(scores)) {
    const box = element.querySelector(`[data-of="${model} ${name}"]`);
    box.trace = [Math.min(at, ...box.trace ?? []), Math.max(at, ...box.trace ?? [])];
    box.style.cssText = `--at: ${at}; --from: ${box.trace[0]}; --to: ${box.trace[1]}`;
    const percent = at < 1 && at > 0.995 ? "over 99%" : `${Math.round(100 * at + 1e-9)}%`;
    box.firstElementChild.textContent = name === "accuracy" ? percent : at.toFixed(2);
  }
}

function draw({ target }) {
  if (target !== moved) for (const box of element.querySelectorAll("[data-of]")) delete box.trace;
  moved = target;
  const [spam, known] = handles.map(({ valueAsNumber }) => valueAsNumber), ham = 100 - spam;
  const mistaken = (100 - known) * ham * spam / 10_000; // of ham, and as many of spam
  const right = 100 - 2 * mistaken, wrong = 100 - Math.round(right), spamKnown = Math.round(known * spam / 100);
  const spamWrong = Math.min(Math.round(wrong / 2), spam - spamKnown);
  const hamKnown = known - spamKnown, hamWrong = wrong - spamWrong;
  // The filter draws what it guesses in the shares of ham and spam, so its answers have these shares.
  const passed = bits(ham - mistaken, ham, ham) + 2 * bits(mistaken, ham, spam) + bits(spam - mistaken, spam, spam);
  const informedness = known / 100, f1_macro = (1 + informedness) / 2, nit = 2 ** passed / 2;
  show("filter", { accuracy: right / 100, informedness, f1_macro, nit }, {
    "known ham": hamKnown, "lucky ham": ham - hamKnown - hamWrong, "wrong ham": hamWrong,
    "known spam": spamKnown, "lucky spam": spam - spamKnown - spamWrong, "wrong spam": spamWrong,
  });
  show("always", { accuracy: ham / 100, informedness: 0, f1_macro: ham / (100 + ham), nit: 0.5 }, { "lucky ham": ham, "wrong spam": spam });
  for (const handle of handles) handle.previousElementSibling.textContent = `${handle.value}%`;
  words.textContent = `The filter knows ${known}% of the answers${known < 100 ? ", and guesses the rest" : ""}. `
    + `Always answering ham is right ${ham}% of the time, and knows nothing.`;
  link.href = `?tab=simulate&spam=${spam}&known=${known}`;
}

for (const handle of handles) {
  const { name, min, max, value } = handle, wanted = new URLSearchParams(location.search).get(name) ?? value;
  handle.value = wanted; // which stays within its range
  if (handle.value === wanted) continue;
  refusal.textContent = `${name} must be ${min} to ${max} in a link, got ${wanted.slice(0, 40)}.`;
  handle.value = value;
}
element.addEventListener("input", draw);
element.addEventListener("change", () => goTo(addresses.simulate = link.search));
draw({ target: handles[0] });

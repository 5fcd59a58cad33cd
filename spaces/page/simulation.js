// Two filters, drawn as a handle moves without asking the server; simulation.html has the parts.
// `element` comes from gr.HTML, the functions from page.js.
const [refusal, words, link] = element.querySelectorAll(".refusal, [role=status], [target]");
const handles = [...element.querySelectorAll("input")]; // in percent: spam, and what is known
let moved; // the handle that the traces are of

function show(model, scores, counts) {
  const kinds = Object.entries(counts).flatMap(([kind, n]) => Array(n).fill(kind));
  element.querySelectorAll(`#${model} .field i`).forEach((square, i) => { square.className = kinds[i]; });
  for (const [name, at] of Object.entries(scores)) {
    const box = element.querySelector(`[data-of="${model} ${name}"]`);
    box.trace = [Math.min(at, ...box.trace ?? []), Math.max(at, ...box.trace ?? [])];
    box.style.cssText = `--at: ${at}; --from: ${box.trace[0]}; --to: ${box.trace[1]}`;
    box.firstElementChild.textContent = shownScore(name, at);
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
  show("filter", scoresOf([[ham - mistaken, mistaken], [mistaken, spam - mistaken]]), {
    "known ham": hamKnown, "lucky ham": ham - hamKnown - hamWrong, "wrong ham": hamWrong,
    "known spam": spamKnown, "lucky spam": spam - spamKnown - spamWrong, "wrong spam": spamWrong,
  });
  show("always", scoresOf([[ham, 0], [spam, 0]]), { "lucky ham": ham, "wrong spam": spam });
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

// The game of guessing, scored here. `element` and `props` come from gr.HTML, the rest from page.js.

const FEWEST = 5; // answers, before which a score jumps from -1 to 1
const [lead, said, meaning] = element.querySelectorAll(".lead, .said, .meaning");
const squares = element.querySelectorAll(".answers i"), numbers = element.querySelectorAll(".number");
const buttons = [...element.querySelectorAll("button")];
let order = [], answers = [], clue = false;

function start() {
  const mixed = props.value.map((message) => [Math.random(), message]);
  [order, answers, clue] = [mixed.sort(([a], [b]) => a - b).map(([, message]) => message), [], false];
}

function draw() {
  const n = answers.length, truth = order.slice(0, n).map(([, label]) => label), next = order[n]?.[0];
  const kindOf = (i) => (i > n ? "later" : i === n ? "next" : answers[i] === truth[i] ? "right" : "wrong");
  squares.forEach((square, i) => { square.className = kindOf(i); });
  const row = (label) => ["ham", "spam"].map((x) => answers.filter((y, i) => y === x && truth[i] === label).length);
  const scores = scoresOf([row("ham"), row("spam")]), isEnough = n >= FEWEST && new Set(truth).size > 1;
  for (const number of numbers) {
    const { name } = number.dataset;
    number.hidden = !(name === "accuracy" ? n : isEnough);
    number.firstElementChild.textContent = shownScore(name, scores[name]);
  }
  lead.textContent = next ? `Message ${n + 1}: ${clue ? `\u201c${next}\u201d` : "hidden. Guess!"}` : "That was the last one.";
  said.textContent = n ? `Message ${n} was ${truth[n - 1]}, you said ${answers[n - 1]}.`
    : clue ? "The subject may give it away." : "You cannot see them yet: guess, or always say ham.";
  const isGuess = new Set(answers).size < 2 || Math.abs(scores.informedness) < 0.005;
  meaning.textContent = n && !isEnough ? `Informedness takes ${FEWEST} messages, of both kinds.`
    : n && isGuess ? "No better than guessing: all right answers are luck." : "";
  for (const button of buttons) button.disabled = !next && button.value !== "again";
  buttons.find(({ value }) => value === "clue").textContent = clue ? "Hide clues" : "Show clues";
}

element.addEventListener("click", ({ target: { value } }) => {
  if (!value) return;
  if (value === "again") start();
  else if (value === "clue") clue = !clue;
  else if (value === "all") while (answers.length < order.length) answers.push("ham");
  else answers.push(value);
  draw();
});

start();
draw();

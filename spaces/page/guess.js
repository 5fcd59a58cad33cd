// The game of guessing: hidden messages, answered one by one. Python (guess.py) draws what is said.
// `element`, `props` and `server` come from gr.HTML.

const told = element.querySelector("[role=status]"), squares = element.querySelectorAll(".answers i");
const buttons = [...element.querySelectorAll("button")];
let order = [], answers = [], clue = false;

function start() {
  const mixed = props.value.map((message) => ({ message, place: Math.random() }));
  order = mixed.sort((a, b) => a.place - b.place).map(({ message }) => message);
  answers = [];
  clue = false;
}

async function draw() {
  const n = answers.length, shown = clue; // there may be a newer answer once the server has drawn
  const truth = order.slice(0, n).map(([, label]) => label);
  const said = await server.guessed({ truth, answers, next: order[n]?.[0] ?? "", clue });
  if (n !== answers.length || shown !== clue) return;
  told.innerHTML = said;
  const kindOf = (i) => (i > n ? "later" : i === n ? "next" : answers[i] === truth[i] ? "right" : "wrong");
  squares.forEach((square, i) => { square.className = kindOf(i); });
  for (const button of buttons) button.disabled = n === order.length && button.value !== "again";
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

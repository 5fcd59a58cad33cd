// The game of guessing: hidden messages, answered one by one. Python (guess.py) scores the answers.
// `element`, `props` and `server` come from gr.HTML, and `make` from page.js.

const BUTTONS = { ham: "Ham", spam: "Spam", all: "Always ham", clue: "Show clues", again: "Start again" };
let order = [], answers = [], clue = false;

function start() {
  const mixed = props.value.map((message) => ({ message, place: Math.random() }));
  order = mixed.sort((a, b) => a.place - b.place).map(({ message }) => message);
  answers = [];
  clue = false;
}

async function draw() {
  const n = answers.length;
  const truth = order.slice(0, n).map(([, label]) => label);
  const { scores, said } = n ? await server.guessed({ truth, answers }) : { scores: {}, said: "" };
  if (n !== answers.length) return; // there is a newer answer
  const kindOf = (i) => (i > n ? "later" : i === n ? "next" : answers[i] === truth[i] ? "right" : "wrong");
  squares.replaceChildren(...order.map((_, i) => make("i", { className: kindOf(i) })));
  const last = n && `Message ${n} was ${truth[n - 1]}, you said ${answers[n - 1]}. `;
  const subject = clue ? `“${order[n]?.[0]}”` : "hidden. Guess!";
  told.replaceChildren(
    make("p", { className: "lead", textContent: n < order.length ? `Message ${n + 1}: ${subject}` : "That was the last one." }),
    make("p", { className: "small", textContent: last || (clue ? "The subject may give it away." : "You cannot see them yet: guess, or always say ham.") }),
    ...Object.entries(scores).map(([name, score]) => make("p", { className: "number" }, [
      make("span", { className: "big", textContent: score }), make("b", { textContent: name }),
    ])),
    make("p", { textContent: said }),
  );
  for (const button of buttons) button.disabled = n === order.length && button.value !== "again";
  buttons.find(({ value }) => value === "clue").textContent = clue ? "Hide clues" : BUTTONS.clue;
}

element.addEventListener("click", ({ target: { value } }) => {
  if (!(value in BUTTONS)) return;
  if (value === "again") start();
  else if (value === "clue") clue = !clue;
  else if (value === "all") while (answers.length < order.length) answers.push("ham");
  else answers.push(value);
  draw();
});

const squares = make("p", { className: "answers", ariaHidden: "true" });
const key = make("p", { className: "key small" }, ["right", "wrong"].map((kind) =>
  make("span", {}, [make("i", { className: kind, ariaHidden: "true" }), `${kind} answer`])));
const told = make("div", { role: "status" });
const buttons = Object.entries(BUTTONS).map(([value, textContent]) =>
  make("button", { type: "button", value, textContent, className: value.endsWith("am") ? "answer" : "" }));
const title = make("h2", { textContent: "Twenty messages: spam, or ham (not spam)?" });
element.append(make("div", { className: "viz" }, [title, squares, key, told, make("p", {}, buttons)]));
start();
draw();

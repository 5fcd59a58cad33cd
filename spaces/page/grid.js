// The matrix on the page: a table of inputs, coloured as a heat map. Python (data.py) interprets the
// text in them. `element`, `props`, `trigger` and `watch` come from gr.HTML.

const [head, body, foot, unused, declares, adds, undoes] =
  element.querySelectorAll("thead tr, tbody, tfoot tr, .unused, [type=checkbox], button");
let pending, last = props.value, before = []; // grids to return to by Undo

function make(tag, properties = {}, children = []) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const state = () => JSON.parse(JSON.stringify(props.value));

function replace(grid, old = state()) {
  if (old) before.push(old);
  clearTimeout(pending);
  props.value = last = grid;
  trigger("input");
  draw();
}

const placeOf = ({ dataset: { row, column } }) => [Number(row), Number(column)];

function field(row, column, value, inputMode) {
  const made = make("input", { value, autocomplete: "off", spellcheck: false, inputMode });
  Object.assign(made.dataset, { row, column });
  return made;
}

function draw() {
  const { labels, cells } = props.value;
  const corner = make("th", { scope: "col", textContent: "reference" });
  const names = labels.map(() => make("th", { scope: "col" }, [make("bdi")]));
  head.replaceChildren(corner, ...names, make("th", { scope: "col", className: "rate", textContent: "recall" }), make("td"));
  const rate = () => make("td", { className: "rate" });
  foot.replaceChildren(make("th", { scope: "row", textContent: "false positive rate" }), ...labels.map(rate));
  body.replaceChildren(...labels.map((label, i) => {
    const name = make("th", { scope: "row" }, [field(i, -1, label, "text")]);
    const counts = cells[i].map((cell, j) => make("td", {}, [field(i, j, cell, "decimal")]));
    const remove = make("button", { type: "button", textContent: "×", disabled: labels.length < 3 });
    remove.dataset.remove = i;
    return make("tr", {}, [name, ...counts, rate(), make("td", {}, [remove])]);
  }));
  adds.disabled = labels.length >= props.most;
  undoes.hidden = before.length === 0;
  tell();
}

// The margins show recall and false positive rate of each class once they are known.
element.querySelector("table").rate = (rates) => props.value.labels.forEach((label, i) => {
  const [recall, fpr] = rates[label] ?? ["", ""];
  [body.rows[i].querySelector(".rate").textContent, foot.cells[i + 1].textContent] = [recall, fpr];
});

// Names are edited in the first column; the header and the labels of cells follow.
function tell() {
  const { labels, cells, declared } = props.value;
  unused.hidden = cells.every((row) => row.some((cell) => /[1-9]/.test(cell)));
  declares.checked = declared === true;
  head.querySelectorAll("bdi").forEach((box, j) => { box.textContent = box.title = labels[j]; });
  for (const input of body.querySelectorAll("input")) {
    const [row, column] = placeOf(input), cell = `Reference ${labels[row]}, prediction ${labels[column]}`;
    input.ariaLabel = column < 0 ? `Name of class ${row + 1}` : cell;
    const whole = cells[row].reduce((sum, text) => sum + (parseFloat(text) || 0), 0);
    input.parentElement.className = column < 0 ? "" : row === column ? "hit" : "miss";
    input.parentElement.style.setProperty("--shade", `${85 * (parseFloat(input.value) || 0) / (whole || 1)}%`);
    input.size = Math.min(Math.max(input.value.length, column < 0 ? 6 : 3), 12);
  }
  for (const button of body.querySelectorAll("button"))
    button.ariaLabel = button.title = `Remove class ${labels[button.dataset.remove]}`;
}

const focus = (row, column) => element.querySelector(`input[data-row="${row}"][data-column="${column}"]`)?.focus();

function add() {
  const { labels, cells, ...rest } = state();
  let number = labels.length + 1;
  while (labels.includes(`class ${number}`)) number += 1;
  cells.forEach((row) => row.push("0"));
  const added = [...labels, ""].map(() => "0");
  replace({ ...rest, labels: [...labels, `class ${number}`], cells: [...cells, added] });
  focus(labels.length, -1);
}

function remove(gone) {
  const { labels, cells, ...rest } = state(), stays = (_, i) => i !== gone;
  const left = cells.filter(stays).map((row) => row.filter(stays));
  replace({ ...rest, labels: labels.filter(stays), cells: left });
  focus(Math.min(gone, labels.length - 2), -1);
}

element.addEventListener("input", ({ target }) => {
  const [row, column] = placeOf(target), grid = state();
  if (target === declares) grid.declared = target.checked;
  else if (column < 0) grid.labels[row] = target.value;
  else grid.cells[row][column] = target.value;
  props.value = last = grid;
  tell();
  clearTimeout(pending);
  pending = setTimeout(() => trigger("input"), 250); // after the last key
});

// What fills more than a cell goes through the box for everything.
element.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain").trim();
  if (!/[\t\r\n]|\[\s*\[/.test(text)) return; // text for one cell
  event.preventDefault();
  const box = element.closest(".inputs").querySelector(".takes-rows textarea");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
});

// Entering a cell by key, mouse or touch selects its text, so that typing replaces it.
element.addEventListener("focusin", ({ target }) => {
  target.select?.();
  target.addEventListener("click", () => target.select?.(), { once: true });
});
element.addEventListener("click", ({ target }) => {
  if (target === adds) add();
  if (target === undoes) replace(before.pop(), null);
  if (target.matches("[data-remove]")) remove(Number(target.dataset.remove));
});

watch("value", () => {
  before.push(last);
  last = props.value;
  draw();
});
draw();

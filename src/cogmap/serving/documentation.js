// Sends the row in the form to /predict, and shows the prediction or the error.
const form = document.getElementById("try");
const output = document.getElementById("answer");

function valueOf(field) {
  if (field.value === "") return null;
  if (field.dataset.kind === "number") return Number(field.value);
  return field.tagName === "SELECT" ? JSON.parse(field.value) : field.value;
}

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

function shown(number) {
  return Number(number.toPrecision(4)).toString();
}

function showPrediction(row) {
  const given = row.prediction;
  const values = given !== null && typeof given === "object" ? Object.entries(given) : [["", given]];
  for (const [name, value] of values) {
    const line = element("p");
    line.append(name === "" ? "Prediction: " : `${name}: `, element("strong", typeof value === "number" && !row.probabilities ? shown(value) : String(value)));
    output.append(line);
  }
  if (!row.probabilities) return;
  const table = element("table");
  for (const [name, probability] of Object.entries(row.probabilities)) {
    const line = element("tr");
    const head = element("th", name);
    head.scope = "row";
    const bar = element("meter");
    bar.value = probability;
    bar.textContent = shown(probability);
    const cell = element("td");
    cell.append(bar);
    line.append(head, element("td", probability.toFixed(3)), cell);
    table.append(line);
  }
  output.append(table);
}

async function send(event) {
  event.preventDefault();
  const row = Object.fromEntries(Array.from(form.elements).filter((field) => field.name).map((field) => [field.name, valueOf(field)]));
  let answer;
  try {
    const response = await fetch("predict", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ rows: [row] }) });
    answer = await response.json();
  } catch {
    answer = { error: "The server does not answer." };
  }
  output.replaceChildren();
  output.classList.toggle("error", "error" in answer);
  if ("error" in answer) {
    output.append(element("p", answer.error));
    return;
  }
  showPrediction(answer.predictions[0]);
  for (const note of answer.notes) output.append(element("p", note));
}

form.addEventListener("submit", send);

// The map as two tables, for screen readers and for lookup: states of concepts, and edges.

import { make, setText, table } from "./dom.js";
import { fixed, oneLine, signed } from "./words.js";

const MAX_EDGES = 1000; // rows of the table of edges
const MAX_STEPS = 12; // columns of states; of a longer trajectory the first 11 steps and the last

export function tablesPart(page) {
  const { model } = page;
  const place = make("div");
  const element = make(
    "details",
    { class: "twin", ontoggle: () => page.refresh() },
    make("summary", {}, "The map as tables"),
    place,
  );
  let built = null;

  function build(view) {
    const steps = stepsShown(view.result.states.length);
    const concepts = model.concepts.map((concept, i) => {
      const cells = steps.map(() => make("td", { class: "number" }));
      const line = make(
        "tr",
        {},
        make("th", { scope: "row" }, oneLine(concept.name)),
        make("td", {}, { input: "value", hidden: "hidden", output: "output" }[concept.kind]),
        ...cells,
      );
      return {
        line,
        update: ({ result }) =>
          cells.forEach((cell, place) =>
            setText(cell, fixed(result.states[Math.min(steps[place], result.states.length - 1)][i], 3)),
          ),
      };
    });
    const all = page.allInfluences();
    const left = all.length > MAX_EDGES ? `, ${MAX_EDGES} of ${all.length}` : "";
    const edges = all.slice(0, MAX_EDGES).map(({ target, source, strength }) => {
      const [weight, share] = [
        make("td", { class: "number" }),
        make("td", { class: "number" }, strength === null ? "" : fixed(100 * strength, 1)),
      ];
      const line = make(
        "tr",
        {},
        make("th", { scope: "row" }, oneLine(model.concepts[source].name)),
        make("td", {}, oneLine(model.concepts[target].name)),
        weight,
        share,
      );
      return { line, update: (now) => setText(weight, signed(now.model.weights[target * model.n + source])) };
    });
    place.replaceChildren(
      make("h3", {}, "Concepts and their states"),
      table(
        "Concepts and their states at each step",
        ["concept", "kind", ...steps.map((step) => `step ${step}`)],
        make("tbody", {}, ...concepts.map((one) => one.line)),
      ),
      make("h3", {}, `Influences, the strongest first${left}`),
      table(
        "Influences of concepts on concepts",
        ["from", "to", "weight", "strength, % of the strongest"],
        make("tbody", {}, ...edges.map((one) => one.line)),
      ),
    );
    return { steps: steps.length, count: view.result.states.length, parts: [...concepts, ...edges] };
  }

  return {
    element,
    update(view) {
      if (!element.open) return;
      if (built === null || built.count !== view.result.states.length) built = build(view);
      built.parts.forEach((part) => part.update(view));
    },
  };
}

function stepsShown(count) {
  if (count <= MAX_STEPS) return [...Array(count).keys()];
  return [...Array(MAX_STEPS - 1).keys(), count - 1];
}

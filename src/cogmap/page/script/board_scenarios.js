// Scenarios: clamps and desired directions, all results side by side, the steps in time, proofs and sensitivity.

import { button, make, setText, table } from "./dom.js";
import { barsOf, linesOf } from "./board_charts.js";
import { clampOf, progressOf, runAll, sensitivity } from "./board_model.js";
import { certificate, withClamp } from "./board_proof.js";
import { ACTIVATION_NAMES } from "./board_drawing.js";
import { RULES } from "./board_doc.js";
import { nameOf } from "./board_graph.js";
import { choice, field } from "./board_panel.js";
import { Problem, t } from "./board_text.js";
import { asNumber } from "./board_words.js";
import { fixed, number, short, signedFixed } from "./words.js";

const MOST_ARROWS = 400; // up to which the sensitivity is computed without being asked
const SHOWN = 8;
const results = new WeakMap();

/** Return the results of a document, computed once; `problem` if they cannot be computed. */
export function resultsOf(doc) {
  if (!results.has(doc)) {
    try {
      results.set(doc, runAll(doc));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      results.set(doc, { model: null, keep: [], baseline: null, results: [], problem: error.message });
    }
  }
  return results.get(doc);
}

export function scenariosPart(app) {
  const element = make("div", { class: "scenarios" });
  let drawn = null;

  function update({ doc, ui }) {
    if (drawn?.doc === doc && drawn.at === ui.scenario) return showStep(app, element, ui);
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    element.replaceChildren(...parts(app, doc, ui).filter(Boolean));
    drawn = { doc, at: ui.scenario };
    if (focused) element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    showStep(app, element, ui);
    return undefined;
  }
  return { element, update };
}

function parts(app, doc, ui) {
  if (!doc.concepts.length) return [make("p", { class: "soft" }, t("nothingYet"))];
  const all = resultsOf(doc);
  const scenario = doc.scenarios[ui.scenario];
  return [
    dynamicsForm(app, doc),
    all.problem ? make("p", { class: "down-text" }, all.problem) : null,
    ...(all.model ? [make("p", { class: "proof" }, endingWords(all.baseline), " ", proofWords(doc, all, {}))] : []),
    make(
      "div",
      { class: "buttons", role: "group", "aria-label": t("tabScenarios") },
      ...doc.scenarios.map((one, k) =>
        button(short(one.name, 24), () => app.board.show({ scenario: k, step: null }), {
          "aria-pressed": String(k === ui.scenario),
          "data-key": `scenario ${k}`,
        }),
      ),
      button(
        t("addScenario"),
        () => app.act({ do: "addScenario" }) && app.board.show({ scenario: app.board.doc.scenarios.length - 1 }),
        { "data-key": "add-scenario", class: doc.scenarios.length ? "" : "main" },
      ),
    ),
    ...(scenario
      ? ofScenario(app, doc, all, scenario, ui.scenario)
      : [make("p", { class: "soft" }, t("scenarioHint"))]),
    all.model && doc.scenarios.length ? make("h3", {}, t("sideBySide")) : null,
    all.model && doc.scenarios.length ? barsOf(doc, all) : null,
  ];
}

function dynamicsForm(app, doc) {
  const [one] = doc.concepts;
  const mixed = (key) => doc.concepts.some((concept) => concept[key] !== one[key]);
  const slope = (text, input) => {
    const value = asNumber(text);
    if (value === null || !app.act({ do: "dynamics", slope: value })) {
      if (value === null) app.notice(t("badSlope", { name: "", slope: text }));
      input.value = String(one.slope);
    }
  };
  const keep = make("input", {
    type: "checkbox",
    onchange: () => app.act({ do: "dynamics", keep: keep.checked }),
    "data-key": "keep",
  });
  keep.checked = doc.keep;
  return make(
    "details",
    { class: "dynamics" },
    make(
      "summary",
      {},
      t("dynamicsSummary", {
        activation: mixed("activation") ? t("mixed") : t(`activation_${one.activation}`),
        rule: t(`rule_${doc.rule}`),
      }),
    ),
    choice(
      t("activation"),
      [
        ...(mixed("activation") ? [["", t("mixed")]] : []),
        ...ACTIVATION_NAMES.map((name) => [name, t(`activation_${name}`)]),
      ],
      mixed("activation") ? "" : one.activation,
      (activation) => activation && app.act({ do: "dynamics", activation }),
      { "data-key": "activation" },
    ),
    field(t("slope"), mixed("slope") ? "" : String(one.slope), slope, { "data-key": "slope" }),
    choice(
      t("rule"),
      RULES.map((rule) => [rule, t(`rule_${rule}`)]),
      doc.rule,
      (rule) => app.act({ do: "dynamics", rule }),
      { "data-key": "rule" },
    ),
    make("label", { class: "check" }, keep, t("keepDrivers")),
    make("p", { class: "soft" }, t("toolDefaults")),
  );
}

/** Say where a trajectory ends. */
export function endingWords({ kind, period, steps }) {
  return kind === "neither"
    ? t("endsNowhere", { steps })
    : kind === "cycle"
      ? t("endsInCycle", { period, steps })
      : t("endsAtPoint", { steps });
}

const proofs = new WeakMap();

/** Say whether it is proved that every start ends there. */
export function proofWords(doc, { model, keep, baseline }, clamp) {
  if (!proofs.has(doc)) proofs.set(doc, new Map());
  const held = { ...Object.fromEntries([...keep, ...model.held].map((i) => [i, baseline.states.at(-1)[i]])), ...clamp };
  const key = JSON.stringify(held);
  if (!proofs.get(doc).has(key)) {
    const free = withClamp(model, held);
    proofs.get(doc).set(key, free.n ? certificate(free) : null);
  }
  const found = proofs.get(doc).get(key);
  if (!found) return t("allHeld");
  if (found.unique)
    return t("proved", {
      by: Object.keys(found.proofs)
        .filter((name) => found.proofs[name])
        .map((name) => t(`proof_${name}`))
        .join(", "),
    });
  const width = found.high.reduce((most, high, i) => Math.max(most, high - found.low[i]), 0);
  return t("notProved", { width: number(width) });
}

function ofScenario(app, doc, all, scenario, at) {
  const result = all.results[at];
  return [
    make(
      "div",
      { class: "inline-form" },
      field(
        t("scenarioNameLabel"),
        scenario.name,
        (name, input) => app.act({ do: "scenario", at, name }) || (input.value = scenario.name),
        { "data-key": "scenario-name" },
      ),
      button(t("remove"), () => app.act({ do: "removeScenario", at }), {
        "aria-label": t("removeNamed", { name: scenario.name }),
      }),
    ),
    clampTable(app, doc, all, scenario, at),
    result
      ? make("p", { class: "proof" }, endingWords(result.outcome), " ", proofWords(doc, all, clampOf(doc, scenario)))
      : null,
    result ? player(app, doc, result) : null,
    result ? sensitivityOf(app, doc, scenario) : null,
  ];
}

function clampTable(app, doc, all, scenario, at) {
  const result = all.results[at];
  const rows = doc.concepts.map(({ id, name }, i) => {
    const state = make("input", {
      type: "text",
      class: "entry number",
      value: id in scenario.clamp ? String(scenario.clamp[id]) : "",
      placeholder: "–",
      "aria-label": t("holdAt", { name }),
      "data-key": `hold ${id}`,
      autocomplete: "off",
    });
    state.addEventListener("change", () => {
      const value = asNumber(state.value);
      const low = all.model ? all.model.middle[i] - all.model.reach[i] : -1;
      const high = all.model ? all.model.middle[i] + all.model.reach[i] : 1;
      if (state.value.trim() && (value === null || value < low || value > high)) {
        app.notice(t("stateOutOfRange", { name, low, high, state: state.value }));
        state.value = id in scenario.clamp ? String(scenario.clamp[id]) : "";
      } else app.act({ do: "clamp", at, id, state: state.value.trim() ? value : null });
    });
    const wish = make(
      "select",
      {
        "aria-label": t("desiredFor", { name }),
        "data-key": `wish ${id}`,
        onchange: () => app.act({ do: "desire", at, id, direction: Number(wish.value) }),
      },
      ...[
        [0, "–"],
        [1, t("increase")],
        [-1, t("decrease")],
      ].map(([value, text]) => make("option", { value, selected: (scenario.desired[id] ?? 0) === value }, text)),
    );
    const change = result?.change[i] ?? 0;
    const wanted = scenario.desired[id] ?? 0;
    const met = wanted && Math.abs(change) > 5e-4 ? (Math.sign(change) === wanted ? " ✓" : " ✗") : "";
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, short(name, 30)),
      make("td", {}, state),
      make("td", {}, wish),
      make(
        "td",
        { class: `number ${change < -5e-4 ? "down-text" : change > 5e-4 ? "up-text" : ""}` },
        result ? signedFixed(change, 3) + met : "",
      ),
    );
  });
  return table(t("clampTable"), [t("concept"), t("hold"), t("desired"), t("change")], make("tbody", {}, ...rows));
}

/** Return the player: a slider over the steps, whose states the drawing shows, and a line for each changing concept. */
function player(app, doc, { outcome }) {
  const steps = outcome.path.length - 1;
  const slider = make("input", {
    type: "range",
    min: 0,
    max: steps,
    step: 1,
    class: "step-slider",
    "aria-label": t("step"),
    "data-key": "step",
    oninput: () => app.board.show({ step: Number(slider.value) }),
  });
  slider.value = Math.min(app.board.ui.step ?? steps, steps);
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    setText(play, t("play"));
  };
  const play = button(t("play"), () => {
    if (timer) return stop();
    let now = Number(slider.value) >= steps ? 0 : Number(slider.value);
    setText(play, t("pause"));
    timer = setInterval(() => {
      if (!play.isConnected || now > steps) return stop();
      slider.value = now;
      app.board.show({ step: now++ });
    }, 350);
    return undefined;
  });
  return make(
    "div",
    { class: "player" },
    make(
      "div",
      { class: "inline-form" },
      play,
      slider,
      make("output", { class: "step-number number" }),
      button(t("hideStates"), () => app.board.show({ step: null }), { class: "small" }),
    ),
    linesOf(doc, outcome.path),
  );
}

function showStep(app, element, ui) {
  const { doc } = app.board;
  const result = ui.step === null ? null : resultsOf(doc).results[ui.scenario];
  const output = element.querySelector(".step-number");
  const slider = element.querySelector(".step-slider");
  if (output && slider)
    setText(output, ui.step === null ? "" : t("stepNumber", { step: Math.min(ui.step, Number(slider.max)) }));
  if (!result) return app.look({ states: null });
  const { model } = resultsOf(doc);
  const states = result.outcome.path[Math.min(ui.step, result.outcome.path.length - 1)];
  return app.look({
    states: new Map(
      doc.concepts.map(({ id }, i) => [
        id,
        {
          share: (states[i] - model.middle[i] + model.reach[i]) / (2 * model.reach[i]),
          words: `, ${t("stateWords", { state: fixed(states[i], 2) })}`,
        },
      ]),
    ),
  });
}

function sensitivityOf(app, doc, scenario) {
  const box = make("div", { class: "sensitivity" }, make("h3", {}, t("whatMatters")));
  if (!Object.keys(scenario.desired).length) {
    box.append(make("p", { class: "soft" }, t("desireFirst")));
    return box;
  }
  const show = () => {
    const found = sensitivity(doc, scenario);
    const change = resultsOf(doc).results[doc.scenarios.indexOf(scenario)].change;
    box.replaceChildren(
      make("h3", {}, t("whatMatters")),
      make("p", { class: "soft" }, t("progress", { progress: signedFixed(progressOf(doc, scenario, change), 3) })),
      make(
        "ol",
        { class: "arrow-list" },
        ...found
          .slice(0, SHOWN)
          .filter(({ effect }) => Math.abs(effect) >= 5e-4)
          .map(({ edge, effect }) =>
            make(
              "li",
              {},
              button(
                `${nameOf(doc, edge.source)} → ${nameOf(doc, edge.target)}`,
                () => app.board.show({ edge: [edge.source, edge.target], concepts: [], view: "map" }),
                { class: "quiet" },
              ),
              make("span", { class: `number ${effect < 0 ? "down-text" : "up-text"}` }, signedFixed(effect, 3)),
            ),
          ),
      ),
    );
  };
  if (doc.edges.length <= MOST_ARROWS) show();
  else box.append(button(t("compute"), show));
  return box;
}

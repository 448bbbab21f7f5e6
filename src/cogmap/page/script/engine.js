// All computations of the page. They do not use the DOM, so Node.js runs them like a browser.

export { contributions } from "./engine_contributions.js";
export { isMissing } from "./columns.js";
export { firstStates } from "./engine_encoding.js";
export { flip } from "./engine_flip.js";
export { openModel, withBias, withWeight } from "./engine_model.js";
export { flows, outputsOf, run, score } from "./engine_run.js";
export { scenario, settle } from "./engine_settling.js";
export { classSet, intervals, labelSets, pValue } from "./engine_sure.js";
export { unpacked } from "./payload.js";

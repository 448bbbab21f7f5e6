// All that the page computes. Nothing here knows of a document: Node runs it as the browser does.

export { contributions } from "./engine_contributions.js";
export { firstStates, isMissing } from "./engine_encoding.js";
export { flip } from "./engine_flip.js";
export { answered } from "./engine_links.js";
export { openModel, withBias, withWeight } from "./engine_model.js";
export { flows, outputsOf, run, score } from "./engine_run.js";
export { scenario, settle } from "./engine_settling.js";
export { unpacked } from "./payload.js";

import { openModel, run, unpacked } from "./engine.js";

const model = openModel(await unpacked(document.getElementById("payload").textContent));
const { outputs } = run(model, model.rows[0] ?? model.columns.map((column) => column.mean));
document.getElementById("page").textContent = model.outputs.map((name, k) => `${name}: ${outputs[k]}`).join("\n");

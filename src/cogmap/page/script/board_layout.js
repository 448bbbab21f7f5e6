// Positions and shapes of the drawn map: sizes of boxes, paths of arrows, and the tidy layout in layers.

const LETTER = 7.3; // width of an average letter
const LINE = 17; // height of a line
const WIDEST = 17; // letters in a line
const CURVE = 0.13; // distance of an arrow from the straight line, relative to its length
export const GRID = 20; // positions snap to multiples of this

/** Break a name into at most three lines. */
export function linesOf(name) {
  const words = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ").split(/\s+/).filter(Boolean);
  const lines = [""];
  for (const word of words) {
    const joined = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (widthOf(joined) <= WIDEST || !lines.at(-1)) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  const shown = lines.slice(0, 3).map((line) => (widthOf(line) > WIDEST + 3 ? `${cut(line, WIDEST)}…` : line));
  if (lines.length > 3) shown[2] = `${cut(shown[2], WIDEST - 1)}…`;
  return shown;
}

function cut(line, width) {
  let text = "";
  for (const letter of line) {
    if (widthOf(text + letter) > width) break;
    text += letter;
  }
  return text;
}

/** Return the width of text in average letters; letters of East Asian scripts and emoji count twice. */
function widthOf(text) {
  let width = 0;
  for (const letter of text) width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{3fffd}]/u.test(letter) ? 2 : 1;
  return width;
}

/** Return the size of the box of a name. */
export function boxOf(name) {
  const lines = linesOf(name);
  return {
    lines,
    width: Math.round(Math.max(48, LETTER * Math.max(...lines.map(widthOf)) + 22)),
    height: LINE * lines.length + 17,
    line: LINE,
  };
}

/** Return the path of an arrow between boxes with a middle (x, y), a width and a height, and the corners of its head. */
export function arrowOf(from, to, width) {
  if (from === to) return loopOf(from, width);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const peak = [(from.x + to.x) / 2 - CURVE * dy, (from.y + to.y) / 2 + CURVE * dx];
  const start = onBorder(from, peak, 0),
    end = onBorder(to, peak, 2);
  const length = Math.hypot(end[0] - peak[0], end[1] - peak[1]) || 1;
  const along = [(end[0] - peak[0]) / length, (end[1] - peak[1]) / length];
  return shape(start, peak, end, along, width);
}

function shape(start, peak, end, along, width) {
  const head = 6 + 1.4 * width;
  const base = [end[0] - head * along[0], end[1] - head * along[1]];
  const side = [-along[1] * (2.4 + 0.9 * width), along[0] * (2.4 + 0.9 * width)];
  return {
    path: `M${at(start)}Q${at(peak)} ${at(base)}`,
    head: `${at(end)} ${at([base[0] + side[0], base[1] + side[1]])} ${at([base[0] - side[0], base[1] - side[1]])}`,
    middle: [0.25 * start[0] + 0.5 * peak[0] + 0.25 * end[0], 0.25 * start[1] + 0.5 * peak[1] + 0.25 * end[1]],
  };
}

/** Return the loop of an arrow from a concept to itself, at the upper right corner of its box. */
function loopOf(box, width) {
  const [x, y] = [box.x + box.width / 2, box.y - box.height / 2];
  const head = 6 + 1.4 * width;
  return {
    path: `M${at([x - 16, y])}C${at([x - 14, y - 30])} ${at([x + 34, y - 26])} ${at([x + head, y + 11])}`,
    head: `${at([x + 1, y + 12])} ${at([x + head + 2, y + 6])} ${at([x + head + 1, y + 16])}`,
    middle: [x + 12, y - 24],
  };
}

function onBorder(box, [px, py], gap) {
  const [dx, dy] = [px - box.x, py - box.y];
  const share = Math.min((box.width / 2 + gap) / Math.abs(dx || 1e-9), (box.height / 2 + gap) / Math.abs(dy || 1e-9), 1);
  return [box.x + share * dx, box.y + share * dy];
}

function at([x, y]) {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/**
 * Return a position for each concept: in layers from left to right along the arrows, each layer ordered so that few
 * arrows cross. `size` is a function of a concept.
 */
export function tidy(concepts, edges, size) {
  const ids = concepts.map(({ id }) => id);
  const layer = layersOf(ids, edges);
  const columns = [];
  for (const id of ids) (columns[layer.get(id)] ??= []).push(id);
  const filled = columns.filter(Boolean);
  const tallest = Math.max(6, Math.ceil(Math.sqrt(2 * ids.length)));
  const stacks = filled.flatMap((column) => inParts(column, tallest));
  order(stacks, edges);
  const boxes = new Map(concepts.map((one) => [one.id, size(one)]));
  const places = new Map();
  const heights = stacks.map((stack) => stack.reduce((sum, id) => sum + boxes.get(id).height + 34, -34));
  let left = 40;
  stacks.forEach((stack, k) => {
    const widest = Math.max(...stack.map((id) => boxes.get(id).width));
    let top = 40 + (Math.max(...heights) - heights[k]) / 2;
    for (const id of stack) {
      const { height } = boxes.get(id);
      places.set(id, [Math.round(left + widest / 2), Math.round(top + height / 2)]);
      top += height + 34;
    }
    left += widest + 90;
  });
  return places;
}

function inParts(column, most) {
  const parts = Math.ceil(column.length / most);
  return Array.from({ length: parts }, (_, k) => column.filter((_, i) => i % parts === k));
}

/** Return the layer of each concept: the longest chain of arrows that leads to it, without arrows that close a loop. */
function layersOf(ids, edges) {
  const out = new Map(ids.map((id) => [id, []]));
  for (const { source, target } of edges) if (source !== target) out.get(source)?.push(target);
  const incoming = new Set(edges.filter(({ source, target }) => source !== target).map(({ target }) => target));
  const state = new Map(),
    forward = [];
  const roots = [...ids.filter((id) => !incoming.has(id)), ...ids];
  for (const root of roots) {
    if (state.has(root)) continue;
    const path = [[root, 0]];
    state.set(root, 1);
    while (path.length) {
      const top = path.at(-1),
        next = out.get(top[0])[top[1]++];
      if (next === undefined) {
        state.set(top[0], 2);
        path.pop();
      } else if (state.get(next) !== 1) {
        forward.push([top[0], next]);
        if (!state.has(next)) {
          state.set(next, 1);
          path.push([next, 0]);
        }
      }
    }
  }
  const layer = new Map(ids.map((id) => [id, 0]));
  for (let round = 0, moved = true; moved && round < ids.length; round++) {
    moved = false;
    for (const [source, target] of forward)
      if (layer.get(target) <= layer.get(source)) {
        layer.set(target, layer.get(source) + 1);
        moved = true;
      }
  }
  return layer;
}

/** Sort each stack by the mean place of the neighbours of its concepts, forwards and backwards. */
function order(stacks, edges) {
  const near = new Map(stacks.flat().map((id) => [id, []]));
  for (const { source, target } of edges)
    if (source !== target) {
      near.get(source)?.push(target);
      near.get(target)?.push(source);
    }
  const place = new Map();
  const number = () => stacks.forEach((stack) => stack.forEach((id, i) => place.set(id, (i + 0.5) / stack.length)));
  number();
  for (let round = 0; round < 6; round++) {
    for (const stack of round % 2 ? [...stacks].reverse() : stacks) {
      const mean = new Map(
        stack.map((id) => {
          const others = near.get(id);
          return [id, others.length ? others.reduce((sum, one) => sum + place.get(one), 0) / others.length : place.get(id)];
        }),
      );
      stack.sort((a, b) => mean.get(a) - mean.get(b));
      stack.forEach((id, i) => place.set(id, (i + 0.5) / stack.length));
    }
  }
}

/** Return positions of all concepts: those of the author, what was assigned before, and free places for the others. */
export function positionsOf(doc, assigned) {
  const places = new Map();
  const missing = [];
  for (const concept of doc.concepts) {
    const { x, y } = concept.details;
    if (Number.isFinite(x) && Number.isFinite(y)) places.set(concept.id, [x, y]);
    else if (assigned.has(concept.id)) places.set(concept.id, assigned.get(concept.id));
    else missing.push(concept);
  }
  if (missing.length) {
    const own = new Set(missing.map(({ id }) => id));
    const inside = doc.edges.filter(({ source, target }) => own.has(source) && own.has(target));
    const found = tidy(missing, inside, ({ name }) => boxOf(name));
    const lowest = places.size ? Math.max(...[...places.values()].map(([, y]) => y)) + 60 : 0;
    for (const [id, [x, y]] of found) {
      assigned.set(id, [x, y + lowest]);
      places.set(id, [x, y + lowest]);
    }
  }
  return places;
}

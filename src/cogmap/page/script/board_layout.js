// Positions and shapes of the drawn map: sizes of boxes, paths of arrows, and the tidy layout.

const LETTER = 7.3; // width of an average letter
const LINE = 17; // height of a line
const WIDEST = 17; // letters in a line
const CURVE = 0.13; // distance of an arrow from the straight line, relative to its length
export const GRID = 20; // positions snap to multiples of this

/** Break a name into at most three lines. */
export function linesOf(name) {
  const words = name
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ")
    .split(/\s+/)
    .filter(Boolean);
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
  for (const letter of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{3fffd}]/u.test(
        letter,
      )
        ? 2
        : 1;
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
  const share = Math.min(
    (box.width / 2 + gap) / Math.abs(dx || 1e-9),
    (box.height / 2 + gap) / Math.abs(dy || 1e-9),
    1,
  );
  return [box.x + share * dx, box.y + share * dy];
}

function at([x, y]) {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/** Return how many arrows are drawn at first: all, or the strongest of a map with very many, such as a learned one. */
export function usuallyShown({ concepts, edges }) {
  return edges.length <= Math.max(80, 5 * concepts.length) ? edges.length : 2 * concepts.length;
}

export function strongestEdges(edges, most) {
  return [...edges].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, most);
}

/**
 * Return a position for each concept: layers along the arrows as a start, then springs between neighbours, until boxes
 * do not overlap. Positions depend only on the map. `size` is a function of a concept.
 */
export function tidy(concepts, allEdges, size) {
  const edges = strongestEdges(allEdges, usuallyShown({ concepts, edges: allEdges }));
  const ids = concepts.map(({ id }) => id);
  const layer = layersOf(ids, edges);
  const columns = [];
  for (const id of ids) (columns[layer.get(id)] ??= []).push(id);
  const tallest = Math.max(3, Math.ceil(Math.sqrt(ids.length)));
  const stacks = columns.filter(Boolean).flatMap((column) => inParts(column, tallest));
  order(stacks, edges);
  const boxes = new Map(concepts.map((one) => [one.id, { ...size(one) }]));
  stacks.forEach((stack, k) =>
    stack.forEach((id, i) =>
      Object.assign(boxes.get(id), { x: 170 * k, y: 110 * (i - stack.length / 2) + 37 * (k % 3) }),
    ),
  );
  relax(
    [...boxes.values()],
    edges
      .filter(({ source, target }) => source !== target)
      .map(({ source, target }) => [boxes.get(source), boxes.get(target)]),
  );
  const left = Math.min(...[...boxes.values()].map(({ x, width }) => x - width / 2)) - 40;
  const top = Math.min(...[...boxes.values()].map(({ y, height }) => y - height / 2)) - 40;
  return new Map([...boxes].map(([id, { x, y }]) => [id, [Math.round(x - left), Math.round(y - top)]]));
}

const DISTANCE = 190; // that springs aim at
const FLAT = 1.5; // boxes are wider than high: vertical distances count more
const ROUNDS = 160;

/** Move boxes by the forces of springs between neighbours and of repulsion, then push overlapping boxes apart. */
function relax(boxes, pairs) {
  const n = boxes.length;
  for (let round = 0; round < ROUNDS; round++) {
    const reach = (DISTANCE / 2) * (1 - round / ROUNDS) + 1;
    const force = boxes.map(() => [0, 0]);
    const place = new Map(boxes.map((box, k) => [box, k]));
    const add = (k, dx, dy) => {
      force[k][0] += dx;
      force[k][1] += dy;
    };
    for (let a = 0; a < n; a++)
      for (let b = a + 1; b < n; b++) {
        const [dx, dy] = [boxes[a].x - boxes[b].x || 0.1 * (a - b), FLAT * (boxes[a].y - boxes[b].y) || 0.1];
        const square = dx * dx + dy * dy;
        if (square > 16 * DISTANCE * DISTANCE) continue;
        const push = (DISTANCE * DISTANCE) / square;
        add(a, dx * push, dy * push);
        add(b, -dx * push, -dy * push);
      }
    for (const [from, to] of pairs) {
      const [dx, dy] = [from.x - to.x, FLAT * (from.y - to.y)];
      const pull = Math.hypot(dx, dy) / DISTANCE;
      add(place.get(from), -dx * pull, -dy * pull);
      add(place.get(to), dx * pull, dy * pull);
    }
    const [middleX, middleY] = [middleOf(boxes, "x"), middleOf(boxes, "y")];
    boxes.forEach((box, k) => {
      // A weak pull to the middle keeps parts that are not connected together.
      const [fx, fy] = [force[k][0] - 0.02 * n * (box.x - middleX), force[k][1] - 0.03 * n * (box.y - middleY)];
      const length = Math.hypot(fx, fy) || 1;
      const step = Math.min(length, reach) / length;
      [box.nextX, box.nextY] = [box.x + fx * step, box.y + (fy * step) / FLAT];
    });
    for (const box of boxes) [box.x, box.y] = [box.nextX, box.nextY];
  }
  for (let round = 0, overlap = true; overlap && round < 300; round++) {
    overlap = false;
    for (let a = 0; a < n; a++)
      for (let b = a + 1; b < n; b++) {
        const [one, other] = [boxes[a], boxes[b]];
        const across = (one.width + other.width) / 2 + 40 - Math.abs(one.x - other.x);
        const down = (one.height + other.height) / 2 + 44 - Math.abs(one.y - other.y);
        if (across <= 0 || down <= 0) continue;
        overlap = true;
        const [axis, by] = across < down ? ["x", across] : ["y", down];
        const sign = one[axis] < other[axis] || (one[axis] === other[axis] && a < b) ? -1 : 1;
        one[axis] += (sign * by) / 2;
        other[axis] -= (sign * by) / 2;
      }
  }
}

function middleOf(boxes, axis) {
  return boxes.reduce((sum, box) => sum + box[axis], 0) / boxes.length;
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
          return [
            id,
            others.length ? others.reduce((sum, one) => sum + place.get(one), 0) / others.length : place.get(id),
          ];
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

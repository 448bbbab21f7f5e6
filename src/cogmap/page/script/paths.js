// Paths of arrows that the drawn map omits, between boxes at fixed positions.

const HEAD = 7; // length of a head
const BACK = 10; // distance of backward arrows below everything

/** Return the path of an arrow and the corners of its head, as SVG attributes. */
export function pathBetween(source, target, bottom) {
  const [from, to] = [ends(source), ends(target)];
  if (to.left > from.right) return curve([from.right, from.middle], [to.left, to.middle], 1, 1);
  if (from.left > to.right && source.anchor === "middle")
    return curve([from.left, from.middle], [to.right, to.middle], -1, -1);
  if (from.left > to.right) return below(from, to, bottom);
  return bow(from, to);
}

function ends(box) {
  return { left: box.x, right: box.x + box.width, middle: box.y + box.height / 2 };
}

/** Start and end horizontally, to the right (1) or to the left (-1). */
function curve(start, end, leave, arrive) {
  const reach = Math.max(Math.abs(end[0] - start[0]) / 2, 20);
  const base = end[0] - arrive * HEAD;
  const path = `M${at(start)} C${at([start[0] + leave * reach, start[1]])} ${at([base - arrive * (reach - HEAD), end[1]])} ${at([base, end[1]])}`;
  return { path, head: head(end, arrive) };
}

/** Connect boxes above each other with a bow to the right. */
function bow(from, to) {
  const out = Math.max(from.right, to.right) + 16 + 0.25 * Math.abs(to.middle - from.middle);
  const path = `M${at([from.right, from.middle])} C${at([out, from.middle])} ${at([out, to.middle])} ${at([to.right + HEAD, to.middle])}`;
  return { path, head: head([to.right, to.middle], -1) };
}

function below(from, to, bottom) {
  const [right, left, low] = [from.right + 22, to.left - 22, bottom + BACK];
  const path =
    `M${at([from.right, from.middle])} C${at([right, from.middle])} ${at([right, low])} ${at([right - 22, low])}` +
    ` L${at([left + 22, low])} C${at([left, low])} ${at([left, to.middle])} ${at([to.left - HEAD, to.middle])}`;
  return { path, head: head([to.left, to.middle], 1) };
}

function head([x, y], direction) {
  return `${at([x, y])} ${at([x - direction * HEAD, y - 4])} ${at([x - direction * HEAD, y + 4])}`;
}

function at([x, y]) {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

// The drawn map as a standalone SVG file.

import { fillOf, groupsOf } from "./board_graph.js";
import { arrowOf } from "./board_layout.js";
import { escaped } from "./files.js";
import { number } from "./words.js";

const UP = "#1F83C4",
  DOWN = "#D55E00",
  NONE = "#7A7F87",
  TEXT = "#15191E",
  BORDER = "#8B949E";

/** Return SVG; `boxes` holds the middle and size of each concept by id, `bounds` the rectangle around them. */
export function toSvg(doc, boxes, { left, top, right, bottom }, title = "") {
  const largest = Math.max(1, ...doc.edges.map(({ weight }) => Math.abs(weight)));
  const groups = groupsOf(doc);
  const parts = [];
  for (const { source, target, weight } of doc.edges) {
    const width = 1 + 4 * Math.min(Math.abs(weight) / largest, 1);
    const { path, head, middle } = arrowOf(boxes.get(source), boxes.get(target), width);
    const color = weight > 0 ? UP : weight < 0 ? DOWN : NONE;
    parts.push(tag("path", { d: path, fill: "none", stroke: color, "stroke-width": width.toFixed(2), opacity: 0.9 }));
    parts.push(tag("polygon", { points: head, fill: color, opacity: 0.9 }));
    if (doc.edges.length <= 80)
      parts.push(
        tag(
          "text",
          {
            x: middle[0].toFixed(1),
            y: (middle[1] - 4).toFixed(1),
            "text-anchor": "middle",
            fill: color,
            "font-size": 11,
          },
          escaped(number(weight, 2)),
        ),
      );
  }
  for (const concept of doc.concepts) {
    const { x, y, width, height, lines, line } = boxes.get(concept.id);
    parts.push(
      "<g>",
      tag("title", {}, escaped(concept.name)),
      tag("rect", {
        x: x - width / 2,
        y: y - height / 2,
        width,
        height,
        rx: 7,
        fill: fillOf(concept, groups) ?? "#F4F6F8",
        stroke: BORDER,
      }),
      ...lines.map((text, k) =>
        tag(
          "text",
          { x, y: y + (k - (lines.length - 1) / 2) * line + 4.5, "text-anchor": "middle", fill: TEXT },
          escaped(text),
        ),
      ),
      "</g>",
    );
  }
  const [width, height] = [right - left, bottom - top];
  const inside = [
    tag("title", {}, escaped(title || String(doc.details.name ?? ""))),
    tag("rect", { x: left, y: top, width, height, fill: "#fff" }),
    ...parts,
  ].join("\n");
  return `${tag("svg", { xmlns: "http://www.w3.org/2000/svg", role: "img", viewBox: `${left} ${top} ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 13 }, `\n${inside}\n`)}\n`;
}

function tag(name, attributes, inside = "") {
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${all.join("")}>${inside}</${name}>`;
}

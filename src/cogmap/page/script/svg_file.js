// The map as shown, as a standalone SVG file.

import { escaped } from "./files.js";

const UP = "#1F83C4",
  DOWN = "#D55E00",
  SOFT = "#7A7F87",
  TEXT = "#15191E",
  BORDER = "#8B949E";
const FILLS = { input: "#F4F6F8", hidden: "#DDE1E6", output: "#FFF1CF" };

export function toSvg({ svg }, model, changed = "") {
  const parts = [];
  for (const arrow of svg.querySelectorAll(".arrow:not(.gone)")) {
    const color = colorOf(arrow);
    const line = { ...read(arrow.querySelector(".line"), "d", "stroke-width"), fill: "none", stroke: color };
    parts.push(tag("path", { ...line, opacity: 0.9 }));
    parts.push(tag("polygon", { ...read(arrow.querySelector(".head"), "points"), fill: color, opacity: 0.9 }));
  }
  for (const word of svg.querySelectorAll(".headings text")) parts.push(written(word, SOFT));
  for (const node of svg.querySelectorAll(".node")) {
    const { name, kind } = model.concepts[Number(node.firstChild.dataset.concept)];
    const box = read(node.querySelector(".ground"), "x", "y", "width", "height", "rx");
    const fill = model.kind === "map" ? FILLS.input : FILLS[kind];
    parts.push("<g>", tag("title", {}, escaped(name)), tag("rect", { ...box, fill, stroke: BORDER }));
    const ring = node.querySelector(".ring");
    const size = ring && read(ring, "cx", "cy", "r", "stroke-width");
    if (ring) parts.push(tag("circle", { ...size, fill: "none", stroke: colorOf(ring) }));
    parts.push(...[...node.querySelectorAll("text")].map((word) => written(word, TEXT)), "</g>");
  }
  const size = read(svg.querySelector(".nodes"), "font-size");
  const [left, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const tall = height + (changed ? 22 : 0);
  const page = { viewBox: `${left} 0 ${width} ${tall}`, width, height: tall, ...size, "font-family": "system-ui, sans-serif" };
  if (changed) parts.push(tag("text", { x: left + 8, y: height + 14, fill: DOWN }, escaped(changed)));
  const inside = [tag("title", {}, escaped(model.title)), ...parts].join("\n");
  return `${tag("svg", { xmlns: "http://www.w3.org/2000/svg", role: "img", ...page }, `\n${inside}\n`)}\n`;
}

function colorOf(element) {
  return element.classList.contains("up") ? UP : DOWN;
}

function read(element, ...names) {
  return Object.fromEntries(names.map((name) => [name, element.getAttribute(name)]));
}

function written(word, fill) {
  return tag("text", { ...read(word, "x", "y", "text-anchor"), fill }, escaped(word.textContent));
}

function tag(name, attributes, inside = "") {
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${all.join("")}>${inside}</${name}>`;
}

// The map as it is shown, as a picture of its own, with the colours of the drawn map.

import { escaped } from "./files.js";

const UP = "#1F83C4", DOWN = "#D55E00", SOFT = "#7A7F87", TEXT = "#15191E", BORDER = "#8B949E";
const FILLS = { input: "#F4F6F8", hidden: "#DDE1E6", output: "#FFF1CF" };

export function toSvg({ svg, width, height }, model) {
  const parts = [];
  for (const arrow of svg.querySelectorAll(".arrow:not(.gone)")) {
    const color = arrow.classList.contains("up") ? UP : DOWN;
    const line = arrow.querySelector(".line");
    parts.push(`<path d="${line.getAttribute("d")}" fill="none" stroke="${color}" stroke-width="${line.getAttribute("stroke-width")}" opacity="0.9"/>`);
    parts.push(`<polygon points="${arrow.querySelector(".head").getAttribute("points")}" fill="${color}" opacity="0.9"/>`);
  }
  for (const word of svg.querySelectorAll(".headings text")) parts.push(text(word, SOFT));
  for (const node of svg.querySelectorAll(".node")) {
    const { name, kind } = model.concepts[Number(node.dataset.concept)];
    const ground = node.querySelector(".ground");
    const [x, y, w, h] = ["x", "y", "width", "height"].map((key) => ground.getAttribute(key));
    const fill = model.kind === "map" ? FILLS.input : FILLS[kind];
    parts.push(`<g><title>${escaped(name)}</title><rect x="${x}" y="${y}" width="${w}" height="${h}" rx="4" fill="${fill}" stroke="${BORDER}"/>`);
    const ring = node.querySelector(".ring");
    if (ring) parts.push(`<circle cx="${ring.getAttribute("cx")}" cy="${ring.getAttribute("cy")}" r="${ring.getAttribute("r")}" fill="none" stroke="${ring.classList.contains("up") ? UP : DOWN}" stroke-width="${ring.getAttribute("stroke-width")}"/>`);
    for (const word of node.querySelectorAll("text")) parts.push(text(word, TEXT));
    parts.push("</g>");
  }
  const size = svg.querySelector(".nodes").getAttribute("font-size");
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-size="${size}" font-family="system-ui, sans-serif">\n<title>${escaped(model.title)}</title>\n${parts.join("\n")}\n</svg>\n`;
}

function text(word, fill) {
  return `<text x="${word.getAttribute("x")}" y="${word.getAttribute("y")}" text-anchor="${word.getAttribute("text-anchor")}" fill="${fill}">${escaped(word.textContent)}</text>`;
}

// All elements are created here. Text is inserted as text nodes: nothing on the page is parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Create an HTML element. Attributes that start with "on" are listeners; false and null omit an attribute. */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Create an SVG element. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set an attribute, or remove it if null or false. Unchanged attributes are not touched, to avoid repaints. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Set the text of an element that contains nothing else. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set a sentence: strings, and numbers of the card as {key, text}, which keep their place in the card. */
export function setParts(element, parts) {
  const content = JSON.stringify(parts);
  if (element.parts === content) return;
  element.parts = content;
  element.replaceChildren(
    ...parts.map((part) => (typeof part === "string" ? part : make("b", { "data-key": part.key }, part.text))),
  );
}

/** Set a style property, which is allowed by a policy that forbids style attributes. */
export function setStyle(element, name, value) {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

/** Return the element of a section that contains its part. */
export function bodyOf(id) {
  return document.querySelector(`#${id} > .body`);
}

export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, ...[text].flat());
}

/** Return a name that lines break after underscores and points, rather than inside a word. */
export function breakable(name) {
  return name.split(/(?<=[_.])(?=\w)/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));
}

/** Create a table with a caption for screen readers, in a box that scrolls if necessary. */
export function table(caption, headings, body) {
  const head = make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, head), body),
  );
}

/** Create an icon of 16 pixels for a button that also has text or a label. */
export function icon(path) {
  return draw(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" },
    draw("path", { d: path }),
  );
}

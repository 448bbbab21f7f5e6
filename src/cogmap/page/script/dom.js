// Elements are made here and nowhere else. Text goes in as text: nothing on this page is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of HTML. Attributes that start with "on" are listeners; false and null leave one out. */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of SVG. */
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

/** Set, or take away if it is null or false. What is so already is not touched, so that nothing is painted anew. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Write text into an element that holds nothing else. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set a property of style, which a policy that forbids style attributes allows. */
export function setStyle(element, name, value) {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

/** The place in a section of the shell where a part goes. */
export function bodyOf(id) {
  return document.querySelector(`#${id} > .body`);
}

export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/** A table with a caption for readers that cannot see it, in a box that scrolls if it has to. */
export function table(caption, headings, body) {
  const head = make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, head), body),
  );
}

/** A drawing of 16 pixels, for a button that also has words or a label. */
export function icon(path) {
  return draw(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" },
    draw("path", { d: path }),
  );
}

// Makes elements. Everything that is put in becomes a text node or an element made here: no text is ever read as markup.

/** @typedef {Node | string | number | null | undefined | false | readonly Child[]} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: any) => unknown)} AttributeValue */

/** Where a link or a picture may lead: into this page, to this server, to what the page itself has made, or into an authenticator. */
const ADDRESSES = /^(#|\/(?!\/)|blob:|otpauth:\/\/totp\/)/;

/**
 * An element with attributes (`onclick` and its like are listeners) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  append(element, children);
  return element;
}

/**
 * The same for SVG.
 * @param {string} name @param {Record<string, AttributeValue>} [attributes] @param {...Child} children
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(element, attributes);
  append(element, children);
  return element;
}

/** @param {Element} element @param {Record<string, AttributeValue>} attributes */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (name === "value" && element instanceof HTMLSelectElement) {
      throw new Error("a select's value is said by the option that is selected");
    } else if (value !== null && value !== undefined && value !== false) {
      if ((name === "href" || name === "src") && !ADDRESSES.test(String(value))) {
        throw new Error(`no link leads to ${value}`);
      }
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** @param {Element} parent @param {readonly Child[]} children */
export function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) parent.append(child);
    else if (typeof child === "object") append(parent, child);
    else parent.append(String(child));
  }
}

/** Puts these children in the place of all that are there. @param {Element} parent @param {...Child} children */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

let numbers = 0;

/** An id that no other element has. @param {string} prefix */
export function freshId(prefix) {
  numbers += 1;
  return `${prefix}-${numbers}`;
}

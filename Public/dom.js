// Small helpers around the document. Text from others goes in by `textContent` only.

export const find = (selector, root = document) => root.querySelector(selector);

export function fromTemplate(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Says something to who can't see it happen. */
export function announce(text) {
  find("#announcer").textContent = text;
}

/** An id of the client's own choosing; `randomUUID` is missing on plain HTTP. */
export function identifier() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function plural(count, one, many) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** `text` short enough for a message. */
export function excerpt(text, most = 60) {
  const points = Array.from(text.trim());
  return points.length > most ? `${points.slice(0, most - 1).join("")}…` : points.join("");
}

// Moving a task to another place: by its handle with a finger or the mouse, or by keyboard.

import { announce, excerpt } from "./dom.js";
import { animates } from "./stage.js";
import { showRefusal } from "./toasts.js";

const edge = 72;
const fastest = 16;
const patience = 600;

export class Reordering {
  #view;
  #write;
  #drag = null;
  #listening = new AbortController();

  /** @param write sends a `move` change; resolves when the list's diff has arrived. */
  constructor(view, write) {
    this.#view = view;
    this.#write = write;
    const { signal } = this.#listening;
    view.container.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    view.container.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  close() {
    this.#cancel();
    this.#listening.abort();
  }

  /** Alt with an arrow anywhere on a row, or an arrow alone on its handle. */
  #key(event) {
    const isOnHandle = event.target.closest(".handle") !== null;
    const element = event.target.closest("[data-item-id]");
    if (!element || (!event.altKey && !isOnHandle) || event.target.closest(".editor")) return;
    const rows = this.#view.rows;
    const index = this.#view.indexOf(element.dataset.itemId);
    const target = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined || index < 0) return;
    event.preventDefault();
    if (target < 0 || target >= rows.length || target === index) {
      announce(target < index || index === 0 ? "Already at the start." : "Already at the end.");
      return;
    }
    this.#move(index, target);
  }

  async #move(index, target) {
    const rows = this.#view.rows;
    const { key, object } = rows[index];
    const side = target < index ? "before" : "after";
    try {
      await this.#write({ move: "Item", id: key, [side]: rows[target].key });
      announce(`${excerpt(object.body)}: place ${target + 1} of ${rows.length}.`);
    } catch (error) {
      showRefusal(error);
    }
  }

  #press(event) {
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0 || this.#drag) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    const element = handle.closest("[data-item-id]");
    const from = this.#view.indexOf(element.dataset.itemId);
    if (from < 0) return;
    const listening = new AbortController();
    this.#drag = {
      element, from, to: from, handle, listening, pointerY: event.clientY, frame: 0,
      startY: event.clientY + scrollY, height: element.getBoundingClientRect().height, shifted: new Set(), hasMoved: false,
    };
    handle.setPointerCapture(event.pointerId);
    const { signal } = listening;
    handle.addEventListener("pointermove", (move) => this.#follow(move.clientY), { signal });
    handle.addEventListener("pointerup", () => this.#drop(), { signal });
    handle.addEventListener("pointercancel", () => this.#cancel(), { signal });
    addEventListener("keydown", (key) => {
      if (key.key !== "Escape") return;
      key.preventDefault();
      this.#cancel();
    }, { signal });
  }

  #follow(pointerY) {
    const drag = this.#drag;
    drag.pointerY = pointerY;
    if (!drag.hasMoved) {
      if (Math.abs(pointerY + scrollY - drag.startY) < 4) return;
      this.#lift();
    }
    drag.frame ||= requestAnimationFrame(() => this.#step());
  }

  #lift() {
    const drag = this.#drag;
    drag.hasMoved = true;
    this.#view.hold();
    // Where every row stands while nothing shifts, from the top of the document.
    drag.tops = this.#view.rows.map((row) => row.element.getBoundingClientRect().top + scrollY);
    drag.element.classList.add("dragged");
    this.#view.container.classList.add("dragging");
  }

  /** One frame of a drag: scroll at the edges, carry the row, make room where it would land. */
  #step() {
    const drag = this.#drag;
    if (!drag) return;
    drag.frame = 0;
    const speed = scrollSpeed(drag.pointerY);
    if (speed !== 0) {
      const before = scrollY;
      scrollBy({ top: speed, behavior: "instant" });
      if (scrollY !== before) drag.frame = requestAnimationFrame(() => this.#step());
    }
    const offset = drag.pointerY + scrollY - drag.startY;
    drag.element.style.transform = `translateY(${offset}px)`;
    this.#shift(landing(drag, drag.tops[drag.from] + offset));
  }

  #shift(to) {
    const drag = this.#drag;
    if (to === drag.to) return;
    const rows = this.#view.rows;
    const reach = (end) => [Math.min(drag.from, end), Math.max(drag.from, end)];
    const [low, high] = reach(to);
    const [oldLow, oldHigh] = reach(drag.to);
    for (let index = Math.min(low, oldLow); index <= Math.max(high, oldHigh); index += 1) {
      if (index === drag.from) continue;
      const isBetween = index >= low && index <= high;
      const distance = isBetween ? (to > drag.from ? -drag.height : drag.height) : 0;
      rows[index].element.style.transform = distance ? `translateY(${distance}px)` : "";
      drag.shifted.add(rows[index].element);
    }
    drag.to = to;
  }

  async #drop() {
    const drag = this.#drag;
    if (!drag?.hasMoved || drag.to === drag.from) return this.#cancel();
    drag.listening.abort();
    cancelAnimationFrame(drag.frame);
    const top = drag.to > drag.from
      ? drag.tops[drag.to] + this.#view.rows[drag.to].element.offsetHeight - drag.height
      : drag.tops[drag.to];
    drag.element.classList.add("landing");
    drag.element.style.transform = `translateY(${top - drag.tops[drag.from]}px)`;
    // The rows stay where they were put until the diff says the same; without an answer they go back for now.
    await Promise.race([this.#move(drag.from, drag.to), new Promise((resolve) => setTimeout(resolve, patience))]);
    this.#finish(drag);
  }

  #cancel() {
    if (this.#drag) this.#finish(this.#drag);
  }

  #finish(drag) {
    if (this.#drag !== drag) return;
    this.#drag = null;
    drag.listening.abort();
    cancelAnimationFrame(drag.frame);
    if (!drag.hasMoved) return;
    const elements = [drag.element, ...drag.shifted];
    const before = elements.map((element) => element.getBoundingClientRect().top);
    this.#view.container.classList.remove("dragging");
    drag.element.classList.remove("dragged", "landing");
    for (const element of elements) element.style.transform = "";
    this.#view.resume();
    this.#view.flush();
    if (!animates()) return;
    elements.forEach((element, place) => {
      for (const animation of element.getAnimations()) if (animation.id === "row") animation.cancel();
      const distance = before[place] - element.getBoundingClientRect().top;
      if (Math.abs(distance) < 1) return;
      element.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], { duration: 200, easing: "ease-out", id: "row" });
    });
  }
}

/** The index where a row whose top is at `top` would land: past every row of which it covers more than half. */
function landing({ from, tops, height }, top) {
  const bottom = top + height;
  const end = (index) => (index + 1 < tops.length ? tops[index + 1] : tops[index] + height);
  let to = from;
  while (to + 1 < tops.length && bottom > (tops[to + 1] + end(to + 1)) / 2) to += 1;
  while (to > 0 && top < (tops[to - 1] + end(to - 1)) / 2) to -= 1;
  return to;
}

function scrollSpeed(pointerY) {
  if (pointerY < edge) return -fastest * Math.min(1, (edge - pointerY) / edge);
  if (pointerY > innerHeight - edge) return fastest * Math.min(1, (pointerY - innerHeight + edge) / edge);
  return 0;
}

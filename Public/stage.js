// Brings the diffs of several lists to the screen together, and moves exactly the rows that the diffs name.

const enterTime = 220;
const moveTime = 280;
const leaveTime = 180;
const easing = "cubic-bezier(.2, .7, .2, 1)";
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function animates() {
  return !calm.matches && !document.hidden;
}

/**
 * Once a frame, the waiting diffs of all its lists are applied. Rows that stand elsewhere afterwards glide there from
 * where they were (first, last, invert, play), also from one list into another; new ones fade in, gone ones out.
 * Only rows on the screen and rows that a diff names are measured, so a long list costs no more than a short one.
 */
export class Stage {
  #views = [];
  #frame = 0;
  #left = new Map();
  #afterwards = [];

  add(view) {
    this.#views.push(view);
  }

  close() {
    cancelAnimationFrame(this.#frame);
    for (const view of this.#views) view.close();
  }

  schedule() {
    if (document.hidden) this.flush();
    else this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Runs once when the rows are in their new places. */
  after(callback) {
    this.#afterwards.push(callback);
  }

  /** A row that left, or is about to leave, another list of this stage: it goes on as the same element. */
  adopt(key, view) {
    const left = this.#left.get(key);
    if (left) {
      this.#left.delete(key);
      return left.element;
    }
    for (const other of this.#views) {
      if (other === view) continue;
      const element = other.lend(key);
      if (element) return element;
    }
    return null;
  }

  removed(row, view, index) {
    this.#left.set(row.key, { element: row.element, view, index });
  }

  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const views = this.#views.filter((view) => view.isWaiting);
    if (views.length === 0) return;
    const isAnimated = animates();
    const before = isAnimated ? this.#measure() : new Map();
    const focus = rememberFocus();
    const anchor = this.#anchor();
    const changed = new Set();
    for (const view of views) view.applyWaiting(changed);
    for (const [key, { element, view }] of this.#left) {
      const rect = before.get(key);
      if (rect && isOnScreen(rect)) leave(element, view.container, rect);
      else element.remove();
    }
    restoreFocus(focus, this.#left);
    this.#left.clear();
    keepInPlace(anchor);
    if (isAnimated) this.#play(before, changed);
    for (const callback of this.#afterwards.splice(0)) callback();
  }

  #measure() {
    const rects = new Map();
    for (const view of this.#views) {
      for (const row of view.visibleRows()) rects.set(row.key, row.element.getBoundingClientRect());
      for (const row of view.namedRows()) {
        if (!rects.has(row.key)) rects.set(row.key, row.element.getBoundingClientRect());
      }
    }
    return rects;
  }

  #play(before, changed) {
    const plan = [];
    for (const view of this.#views) {
      for (const row of view.visibleRows()) {
        for (const animation of row.element.getAnimations()) if (animation.id === "row") animation.cancel();
      }
      for (const row of view.visibleRows()) plan.push({ row, after: row.element.getBoundingClientRect() });
    }
    for (const { row, after } of plan) {
      const from = before.get(row.key);
      if (!from) {
        if (changed.has(row.key)) enter(row.element);
        continue;
      }
      const x = from.left - after.left;
      const y = clamp(from.top - after.top, innerHeight);
      // A row that passes others passes above them.
      const isPassing = Math.abs(x) > 1 || Math.abs(y) > after.height * 1.5;
      if (Math.abs(x) > 0.5 || Math.abs(y) > 0.5) move(row.element, x, y, isPassing ? 4 : "auto");
      if (changed.has(row.key)) flash(row.element);
    }
  }

  /** The first row on the screen of a list whose start is scrolled away: it shall stay where the reader sees it. */
  #anchor() {
    for (const view of this.#views) {
      if (view.container.getBoundingClientRect().top >= 0) continue;
      const named = new Set(view.namedRows());
      for (const row of view.visibleRows()) {
        const top = row.element.getBoundingClientRect().top;
        if (top >= 0 && !named.has(row)) return { element: row.element, top };
      }
    }
    return null;
  }
}

function keepInPlace(anchor) {
  if (!anchor?.element.isConnected) return;
  const distance = anchor.element.getBoundingClientRect().top - anchor.top;
  if (Math.abs(distance) >= 1) scrollBy({ top: distance, behavior: "instant" });
}

function isOnScreen(rect) {
  return rect.bottom > 0 && rect.top < innerHeight;
}

function clamp(distance, most) {
  return Math.max(-most, Math.min(most, distance));
}

function play(element, frames, duration) {
  return element.animate(frames, { duration, easing, id: "row" });
}

function enter(element) {
  play(element, [{ opacity: 0, transform: "translateY(-10px)" }, { opacity: 1, transform: "none" }], enterTime);
}

function move(element, x, y, zIndex) {
  play(element, [{ transform: `translate(${x}px, ${y}px)`, zIndex }, { transform: "none", zIndex }], moveTime);
}

function flash(element) {
  element.animate([{ backgroundColor: "var(--flash)" }, {}], { duration: 900, easing: "ease-out" });
}

/** Takes the row out of the list at once and lets its picture fade where it stood. */
function leave(element, container, rect) {
  element.inert = true;
  element.dataset.leaving = "";
  delete element.dataset.itemId;
  delete element.dataset.projectId;
  container.append(element);
  // An empty list takes no room, so its place is known only with the row in it.
  const origin = container.getBoundingClientRect();
  Object.assign(element.style, {
    top: `${rect.top - origin.top}px`, left: `${rect.left - origin.left}px`, width: `${rect.width}px`,
  });
  play(element, [{ opacity: 1, transform: "none" }, { opacity: 0, transform: "scale(.96)" }], leaveTime)
    .finished.catch(() => {}).then(() => element.remove());
}

function rememberFocus() {
  const element = document.activeElement;
  const row = element?.closest?.("[data-row]");
  return row && { element, row, container: row.parentElement, next: row.nextElementSibling, previous: row.previousElementSibling };
}

/** Focus stays on a row that moved within its list; where the row left, its neighbour's same control takes over. */
function restoreFocus(focus, left) {
  if (!focus) return;
  const isGone = [...left.values()].some(({ element }) => element === focus.row);
  const isEditing = focus.element.closest(".editor") !== null;
  if (!isGone && (isEditing || focus.row.parentElement === focus.container)) {
    if (document.activeElement !== focus.element) focus.element.focus({ preventScroll: true });
    return;
  }
  const heir = [focus.next, focus.previous].find((row) => row?.parentElement === focus.container && !("leaving" in row.dataset));
  const action = focus.element.dataset.action;
  const control = heir?.querySelector(`[data-action="${action}"]`) ?? heir?.querySelector("button, input, a")
    ?? focus.container.closest("[data-view]")?.querySelector(".adder input");
  control?.focus({ preventScroll: true });
}

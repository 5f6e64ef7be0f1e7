// The rows of one live list on the screen: one element a row, changed only where a diff says so.

/** Rows from here on are laid out only when they come near the screen. */
const longList = 100;

export class ListView {
  #stage;
  #options;
  #waiting = [];
  #rows = [];
  #rowOf = new Map();
  #stopListening;
  #isHeld = false;
  #lent = new Set();

  /**
   * @param options `{key, create(object), update(element, object, previous), changed()}`; `key` names the primary
   * key's field, `changed` runs after rows came, went or moved.
   */
  constructor(stage, list, container, options) {
    this.#stage = stage;
    this.#options = options;
    this.container = container;
    stage.add(this);
    this.#stopListening = list.listen((event) => {
      this.#waiting.push(event);
      if (!this.#isHeld) stage.schedule();
    });
    if (list.objects.length > 0) this.#waiting.push({ type: "append", objects: list.objects.slice() });
    this.#waiting.push({ type: "state" });
    stage.schedule();
  }

  get isWaiting() {
    return this.#waiting.length > 0 && !this.#isHeld;
  }

  get rows() {
    return this.#rows;
  }

  row(key) {
    return this.#rowOf.get(key);
  }

  indexOf(key) {
    return this.#rows.indexOf(this.#rowOf.get(key));
  }

  close() {
    this.#stopListening();
  }

  /** Diffs wait while rows are being dragged: the list must not shift under the finger. */
  hold() {
    this.#isHeld = true;
  }

  resume() {
    this.#isHeld = false;
    if (this.isWaiting) this.#stage.schedule();
  }

  /** Applies what waits at once, without waiting for the next frame. */
  flush() {
    this.#stage.flush();
  }

  /** Lends the element of a row that a waiting diff is about to take out; a comment keeps its place. */
  lend(key) {
    const row = this.#rowOf.get(key);
    if (!row || !this.isWaiting || !isElement(row)) return null;
    const element = row.element;
    row.element = document.createComment("");
    element.before(row.element);
    this.#lent.add(row);
    return element;
  }

  /** Between two whole lists that arrive apart a row can be in both; then the lender makes itself a new element. */
  #replaceLent() {
    for (const row of this.#lent) {
      if (isElement(row) || this.#rowOf.get(row.key) !== row) continue;
      const comment = row.element;
      row.element = this.#options.create(row.object);
      row.element.dataset.row = "";
      comment.replaceWith(row.element);
    }
    this.#lent.clear();
  }

  /** The rows on the screen, found by bisection since rows stand below one another. */
  *visibleRows() {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle].element.getBoundingClientRect().bottom <= 0) low = middle + 1;
      else high = middle;
    }
    for (; low < this.#rows.length; low += 1) {
      const row = this.#rows[low];
      if (row.element.getBoundingClientRect().top >= innerHeight) return;
      yield row;
    }
  }

  /** The rows that the first waiting diff takes out: a move may come from beyond the screen. */
  *namedRows() {
    const event = this.isWaiting ? this.#waiting[0] : null;
    if (event?.type !== "change" || event.deletions.length > 200) return;
    for (const index of event.deletions) if (this.#rows[index]) yield this.#rows[index];
  }

  /** Applies what waits; adds to `touched` the keys of rows that are new or have other contents. */
  applyWaiting(touched) {
    for (const event of this.#waiting.splice(0)) {
      if (event.type === "append") this.#append(event.objects);
      else if (event.type === "change") this.#change(event, touched);
      else if (event.type === "reset") this.#reset(event.objects, touched);
    }
    this.#replaceLent();
    this.container.classList.toggle("long", this.#rows.length > longList);
    this.#options.changed?.();
  }

  #append(objects) {
    const fragment = document.createDocumentFragment();
    for (const object of objects) {
      const row = this.#make(object);
      this.#rows.push(row);
      fragment.append(row.element);
    }
    this.container.append(fragment);
  }

  #change({ deletions, insertions, modifications }, touched) {
    const removed = new Map();
    for (let place = deletions.length - 1; place >= 0; place -= 1) {
      removed.set(deletions[place], this.#rows.splice(deletions[place], 1)[0]);
    }
    const moved = new Set();
    for (const { from } of insertions) if (from !== undefined) moved.add(from);
    for (const [index, row] of removed) if (!moved.has(index)) this.#remove(row, index);
    for (const { index, from, object, set } of insertions) {
      let row = removed.get(from);
      if (row) this.#merge(row, set, touched);
      else row = this.#make(object, touched);
      this.#rows.splice(index, 0, row);
      this.#place(row.element, this.#rows[index + 1]?.element ?? null);
    }
    for (const { index, set } of modifications) this.#merge(this.#rows[index], set, touched);
  }

  /** A whole new list: rows that are in both keep their element. */
  #reset(objects, touched) {
    const { key, update } = this.#options;
    const kept = new Set(objects.map((object) => object[key]));
    this.#rows.forEach((row, index) => kept.has(row.key) || this.#remove(row, index));
    let cursor = this.container.firstElementChild;
    this.#rows = objects.map((object) => {
      let row = this.#rowOf.get(object[key]);
      if (row) {
        const previous = row.object;
        row.object = object;
        update(row.element, object, previous);
      } else {
        row = this.#make(object, touched);
      }
      if (row.element === cursor) cursor = cursor.nextElementSibling;
      else this.#place(row.element, cursor);
      return row;
    });
  }

  #make(object, touched) {
    const { key, create, update } = this.#options;
    let element = this.#stage.adopt(object[key], this);
    if (element) update(element, object, null);
    else element = create(object);
    element.dataset.row = "";
    const row = { key: object[key], element, object };
    this.#rowOf.set(row.key, row);
    touched?.add(row.key);
    return row;
  }

  #merge(row, set, touched) {
    const previous = row.object;
    row.object = { ...previous, ...set };
    if (this.#options.update(row.element, row.object, previous)) touched.add(row.key);
  }

  #remove(row, index) {
    this.#rowOf.delete(row.key);
    if (isElement(row)) this.#stage.removed(row, this, index);
    else row.element.remove();
  }

  #place(element, before) {
    if (this.container.moveBefore && element.contains(document.activeElement)) {
      // Keeps focus, selection and an open date picker; but it drops style changes that are not laid out yet.
      element.getBoundingClientRect();
      this.container.moveBefore(element, before);
    } else {
      this.container.insertBefore(element, before);
    }
  }
}

function isElement(row) {
  return row.element.nodeType === Node.ELEMENT_NODE;
}

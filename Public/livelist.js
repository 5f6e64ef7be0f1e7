// A client's copy of one live query, kept right by the server's `initial` and `change` messages.

/**
 * The ordered rows of one named live query.
 *
 * Listeners get one event for each step, already applied to `objects`:
 * `{type: "append", index, objects}` while the first list arrives, `{type: "change", deletions, insertions,
 * modifications}` for a diff, `{type: "reset", objects}` when a whole new list replaced an earlier one,
 * `{type: "state"}` when `isComplete` turned, `{type: "failed"}` when the server ended the subscription.
 */
export class LiveList {
  /** @param query `{name, class, filter, args, sort, limit}` as `subscribe` takes it. */
  constructor(query) {
    this.query = query;
    this.objects = [];
    /** Whether `objects` has been a complete answer once; from then on it never shows a half. */
    this.isComplete = false;
    this.failure = null;
    /** Where the complete copy stands, and in which history; both go into the next `subscribe`. */
    this.version = null;
    this.epoch = null;
    this.incoming = null;
    this.isListening = false;
    this.listeners = new Set();
  }

  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The parameters of `subscribe`; a complete copy asks only for what it missed. */
  get request() {
    if (this.version === null || this.epoch === null) return this.query;
    return { ...this.query, since: this.version, epoch: this.epoch };
  }

  /** A new connection: a list that was half there starts again, a complete one is kept and resumed. */
  disconnected() {
    this.incoming = null;
    this.isListening = false;
  }

  /** Asks for the same query with another limit; the rows stay until the new list is complete. */
  resize(limit) {
    this.query = { ...this.query, limit };
    this.forget();
  }

  /** The copy can't be trusted to continue from; the next answer must be whole. */
  forget() {
    this.version = null;
    this.incoming = null;
    this.isListening = false;
  }

  fail(error) {
    this.failure = error;
    this.forget();
    this.#emit({ type: "failed" });
  }

  applyInitial({ index, objects, state, version }, epoch) {
    if (index === 0) {
      this.failure = null;
      this.isListening = false;
      this.incoming = [];
      if (!this.isComplete && this.objects.length > 0) {
        this.objects = [];
        this.#emit({ type: "reset", objects: this.objects.slice() });
      }
    }
    if (this.incoming === null || this.incoming.length !== index) return;
    this.incoming.push(...objects);
    if (!this.isComplete) {
      this.objects.push(...objects);
      this.#emit({ type: "append", index, objects });
    }
    if (state !== "complete") return;
    if (this.isComplete) {
      this.objects = this.incoming;
      this.#emit({ type: "reset", objects: this.objects.slice() });
    }
    this.#complete(version, epoch);
  }

  /** A `change` may continue a list that is complete here, or one that was resumed from an earlier connection. */
  applyChange(update, version, epoch) {
    const isResumed = update.state === "complete" && this.version !== null && this.incoming === null;
    if (!this.isListening && !isResumed) return;
    const { deletions = [], insertions = [], modifications = [] } = update;
    const objects = this.objects;
    const removed = new Map();
    for (let place = deletions.length - 1; place >= 0; place -= 1) {
      const index = deletions[place];
      check(index < objects.length);
      removed.set(index, objects.splice(index, 1)[0]);
    }
    for (const { index, from, object, set } of insertions) {
      check(index <= objects.length && (from === undefined || removed.has(from)));
      objects.splice(index, 0, from === undefined ? object : { ...removed.get(from), ...set });
    }
    for (const { index, set } of modifications) {
      check(index < objects.length);
      objects[index] = { ...objects[index], ...set };
    }
    if (deletions.length + insertions.length + modifications.length > 0) {
      this.#emit({ type: "change", deletions, insertions, modifications });
    }
    this.#complete(version, epoch);
  }

  /** Every complete list of a connection stands where its last `change` stands, named in it or not. */
  advance(version) {
    if (this.isListening && version > this.version) this.version = version;
  }

  #complete(version, epoch) {
    const wasComplete = this.isComplete;
    this.incoming = null;
    this.isComplete = true;
    this.isListening = true;
    this.version = version;
    this.epoch = epoch;
    if (!wasComplete) this.#emit({ type: "state" });
  }

  #emit(event) {
    for (const listener of this.listeners) listener(event);
  }
}

function check(holds) {
  if (!holds) throw new RangeError("a diff does not fit the list it was sent for");
}

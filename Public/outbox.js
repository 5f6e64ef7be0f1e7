// Writes on their way: each is kept, with its `txn`, until the server has answered it.

import { ConnectionLost } from "./connection.js";
import { identifier } from "./dom.js";
import { unsent } from "./keep.js";

const tooManyRequests = -32006;
const sessionOver = new Set([-32001, -32009]);

/**
 * Sends transactions in order and resends those that a lost connection left open. The server applies a `txn` once,
 * so a write is neither lost nor doubled, also over a reload of the page.
 */
export class Outbox {
  #entries = [];
  #userId = null;
  #send;
  #changed;

  /** @param send `(params) → Promise` of the `write` result; @param changed called when `waiting` may differ. */
  constructor(send, changed) {
    this.#send = send;
    this.#changed = changed;
  }

  /** The transactions without an answer, oldest first. */
  get waiting() {
    return this.#entries;
  }

  /** Takes up what this window had left open for this user; another user's writes are dropped. */
  open(userId) {
    if (this.#userId === userId) return;
    const kept = unsent.load();
    this.#userId = userId;
    this.#entries = kept?.userId === userId ? kept.entries.map((entry) => ({ ...entry })) : [];
    this.#store();
  }

  clear() {
    this.#userId = null;
    for (const entry of this.#entries.splice(0)) entry.reject?.(new ConnectionLost());
    this.#store();
  }

  /** Resolves with the server's result, however many connections that takes; rejects when it is refused. */
  add(changes) {
    const entry = { txn: identifier(), changes };
    const outcome = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    this.#entries.push(entry);
    this.#store();
    this.#transmit(entry);
    return outcome;
  }

  /** After a log-in: everything that has no answer goes out again, in order. */
  resend(onRefused) {
    for (const entry of [...this.#entries]) {
      entry.reject ??= onRefused;
      this.#transmit(entry);
    }
  }

  async #transmit(entry) {
    try {
      const result = await this.#send({ txn: entry.txn, changes: entry.changes });
      this.#settle(entry);
      entry.resolve?.(result);
    } catch (error) {
      if (error instanceof ConnectionLost || sessionOver.has(error.code)) return;
      if (error.code === tooManyRequests) {
        setTimeout(() => this.#entries.includes(entry) && this.#transmit(entry), 1_000 * (error.data.retryAfter ?? 1));
        return;
      }
      this.#settle(entry);
      entry.reject?.(error);
    }
  }

  #settle(entry) {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#store();
  }

  #store() {
    const entries = this.#entries.map(({ txn, changes }) => ({ txn, changes }));
    unsent.save(entries.length > 0 ? { userId: this.#userId, entries } : null);
    this.#changed();
  }
}

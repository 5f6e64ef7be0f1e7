// Who else is in a project, and what they are editing: told by each open page, gone when it is.

import { identifier } from "./dom.js";

export class Presence {
  #session;
  #projectId;
  #list;
  #stopListening;
  #state = { item: null };
  /** The row of this page on the present connection; another connection can't change it. */
  #presenceId = null;
  #wasOnline = false;

  /** @param changed called when somebody came, went or turned to another task. */
  constructor(session, projectId, changed) {
    this.#session = session;
    this.#projectId = projectId;
    this.#list = session.subscribe({ name: `present:${projectId}`, class: "Presence", filter: "projectId == $0", args: [projectId], limit: 200 });
    this.#stopListening = this.#list.listen(changed);
    this.connectionChanged();
  }

  close() {
    this.#stopListening();
    this.#session.unsubscribe(this.#list);
    if (this.#presenceId) this.#send({ delete: "Presence", id: this.#presenceId });
    this.#presenceId = null;
  }

  /** The others, each once, by user id: the tasks that they are editing. */
  get others() {
    const own = this.#session.user?.userId;
    const others = new Map();
    for (const { userId, state } of this.#list.objects) {
      if (userId === own) continue;
      if (!others.has(userId)) others.set(userId, new Set());
      if (typeof state?.item === "string") others.get(userId).add(state.item);
    }
    return others;
  }

  /** A new connection is a new presence: what was told on the old one goes with it. */
  connectionChanged() {
    const { isOnline } = this.#session;
    if (isOnline && !this.#wasOnline) {
      this.#presenceId = identifier();
      this.#tell();
    }
    this.#wasOnline = isOnline;
  }

  /** @param item the id of the task that is being edited here, or null. */
  edit(item) {
    if (this.#state.item === item) return;
    this.#state = { item };
    if (this.#presenceId && this.#session.isOnline) this.#tell();
  }

  #tell() {
    this.#send({ upsert: "Presence", object: { presenceId: this.#presenceId, projectId: this.#projectId, state: this.#state } });
  }

  /** Not by the outbox: what is true of this moment only is not kept for later. */
  #send(change) {
    this.#session.call("write", { changes: [change] }).catch(() => {});
  }
}

// The names behind user ids, looked up once each.

/** Terms a query; keeps well below the depth that a predicate may have. */
const atOnce = 16;

export class People {
  #session;
  #names = new Map();
  #wanted = new Map();
  #timer = 0;

  constructor(session) {
    this.#session = session;
  }

  /** Calls back with the user's name, now or once it is known; never where the user may not be seen. */
  name(userId, callback) {
    if (this.#names.has(userId)) {
      callback(this.#names.get(userId));
      return;
    }
    if (!this.#wanted.has(userId)) this.#wanted.set(userId, []);
    this.#wanted.get(userId).push(callback);
    this.#timer ||= setTimeout(() => this.#lookUp(), 30);
  }

  async #find(userId) {
    const answer = await this.#session.call("findUser", { userId }).catch(() => null);
    if (!answer) return;
    this.#names.set(userId, answer.user.name);
    for (const callback of this.#wanted.get(userId) ?? []) callback(answer.user.name);
  }

  async #lookUp() {
    this.#timer = 0;
    const ids = [...this.#wanted.keys()];
    for (let start = 0; start < ids.length; start += atOnce) {
      const args = ids.slice(start, start + atOnce);
      const filter = args.map((_, place) => `userId == $${place}`).join(" OR ");
      try {
        const { objects } = await this.#session.query({ class: "User", filter, args });
        for (const { userId, name } of objects) {
          this.#names.set(userId, name);
          for (const callback of this.#wanted.get(userId) ?? []) callback(name);
        }
        // Somebody who holds no permission here may have been met all the same: in a presence, as the maker of a task.
        await Promise.all(args.filter((id) => !this.#names.has(id)).map((id) => this.#find(id)));
      } catch {
        // A name is an ornament: without it the row is as good as it can be.
      }
      for (const id of args) this.#wanted.delete(id);
    }
  }
}

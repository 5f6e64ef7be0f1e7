// What the browser keeps between visits: the token, and writes that the server has not answered yet.

// Several servers may live under one origin, each at a path of its own.
const prefix = `todosync:${new URL(".", location.href).pathname}:`;

function read(storage, name) {
  try {
    return JSON.parse(window[storage].getItem(prefix + name));
  } catch {
    return null;
  }
}

function write(storage, name, value) {
  try {
    if (value === null) window[storage].removeItem(prefix + name);
    else window[storage].setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Storage may be switched off; then a reload asks for the log-in again.
  }
}

/** The token of the log-in: this window's own, else the one that all windows of this browser share. */
export class Credentials {
  #token = read("sessionStorage", "token") ?? read("localStorage", "token");

  get token() {
    return this.#token;
  }

  save(token, isRemembered) {
    this.#token = token;
    write("sessionStorage", "token", isRemembered ? null : token);
    if (isRemembered) write("localStorage", "token", token);
  }

  /** Forgets this window's token, and the shared one only where it is the same. */
  forget() {
    if (read("localStorage", "token") === this.#token) write("localStorage", "token", null);
    write("sessionStorage", "token", null);
    this.#token = null;
  }

  /** Calls back when another window logged in while this one has no token. */
  onSharedLogin(callback) {
    addEventListener("storage", (event) => {
      if (event.key !== `${prefix}token` || this.#token) return;
      this.#token = read("localStorage", "token");
      if (this.#token) callback();
    });
  }
}

export const unsent = {
  load: () => read("sessionStorage", "unsent"),
  save: (value) => write("sessionStorage", "unsent", value),
};

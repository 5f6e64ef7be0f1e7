// The logged-in user's session: log-in, live lists and writes over a connection that comes and goes.

import { Connection, ConnectionLost, RpcError } from "./connection.js";
import { Credentials } from "./keep.js";
import { LiveList } from "./livelist.js";
import { Outbox } from "./outbox.js";
import { inWords } from "./refusals.js";

const unknownMethod = -32601;
const sessionOver = new Set([-32001, -32009]);
const comeBackLater = new Set([-32603, -32006, -32007]);
const revoked = 4002;

/**
 * Events: `phase` when `phase` or `notice` changed, `status` when the connection's state or the number of waiting
 * writes changed, `refused` (`detail` is the error) when a write from before a reload was refused.
 */
export class Session extends EventTarget {
  /** `starting` until the first answer, then `login` or `ready`; a lost connection does not change it. */
  phase = "starting";
  /** Why the log-in is asked for, where that needs saying. */
  notice = "";
  user = null;
  info = null;
  status = { state: "connecting" };
  /** Logged in on the present socket. */
  isOnline = false;

  #connection;
  #credentials = new Credentials();
  #lists = new Map();
  #outbox;
  #known = new Map();

  constructor(url) {
    super();
    this.#outbox = new Outbox((params) => this.#whileOnline("write", params), () => this.#tell("status"));
    this.#connection = new Connection(url, {
      opened: () => this.#greet(),
      closed: (code, reason) => this.#left(code, reason),
      notified: (method, params) => this.#notified(method, params),
      informed: (info) => this.#informed(info),
      status: (status) => {
        this.status = status;
        this.#tell("status");
      },
      wanted: () => this.#credentials.token !== null || this.info === null,
    });
    this.#credentials.onSharedLogin(() => (this.#connection.isOpen ? this.#greet() : this.connect()));
  }

  get waiting() {
    return this.#outbox.waiting;
  }

  connect() {
    this.#connection.connect();
  }

  /** Logs in or registers by form: `method` is `login` or `register`. */
  async logIn(method, params, isRemembered) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#connection.opened();
        const account = await this.#connection.request(method, params);
        this.#credentials.save(account.token, isRemembered);
        this.#enter(account);
        return;
      } catch (error) {
        // The server closes a connection that waits long for a log-in, perhaps just now.
        if (!(error instanceof ConnectionLost) || attempt === 2) throw error;
      }
    }
  }

  async logOut({ everywhere = false } = {}) {
    const isOnline = this.isOnline;
    this.#leave("");
    if (isOnline) await this.#connection.request("logout", { everywhere }).catch(() => {});
  }

  /** Starts a live query. Its list fills now or as soon as there is a connection. */
  subscribe(query) {
    const list = new LiveList(query);
    this.#lists.set(query.name, list);
    this.#ask(list);
    return list;
  }

  unsubscribe(list) {
    if (this.#lists.get(list.query.name) !== list) return;
    this.#lists.delete(list.query.name);
    this.#whileOnline("unsubscribe", { name: list.query.name }).catch(() => {});
  }

  resize(list, limit) {
    list.resize(limit);
    this.#ask(list, { update: true });
  }

  /** One transaction; see `Outbox.add`. */
  write(...changes) {
    return this.#outbox.add(changes);
  }

  query(params) {
    return this.call("query", params);
  }

  /** One request, now or not at all. */
  call(method, params) {
    return this.#whileOnline(method, params);
  }

  undo(version) {
    return this.#whileOnline("undo", { version });
  }

  /** Whether the server knows a method: an unknown one is refused before its parameters are looked at. */
  async supports(method) {
    if (!this.#known.has(method)) {
      const error = await this.#whileOnline(method, {}).then(() => null, (reason) => reason);
      if (error instanceof ConnectionLost) return false;
      this.#known.set(method, error?.code !== unknownMethod);
    }
    return this.#known.get(method);
  }

  /** Runs each time a socket opens. */
  async #greet() {
    const connection = this.#connection;
    const token = this.#credentials.token;
    const [info, account] = await Promise.allSettled([
      connection.request("info").then((answer) => (this.info = answer)),
      token ? connection.request("login", { provider: "token", token }) : Promise.resolve(null),
    ]);
    const failure = info.reason ?? account.reason;
    if (failure instanceof ConnectionLost) return;
    if (comeBackLater.has(failure?.code)) connection.retryLater(failure.data.retryAfter);
    else if (account.reason) this.#leave("Your session has ended. Please log in again.");
    else if (account.value) this.#enter(account.value);
    else if (!this.isOnline) this.#turn("login");
  }

  #enter({ user }) {
    const isSameUser = this.user?.userId === user.userId;
    this.user = user;
    this.isOnline = true;
    this.#outbox.open(user.userId);
    this.#connection.settled();
    if (!isSameUser) this.#lists.clear();
    for (const list of this.#lists.values()) this.#ask(list);
    this.#outbox.resend((error) => this.dispatchEvent(new CustomEvent("refused", { detail: error })));
    this.#turn("ready");
    this.#tell("status");
  }

  /** Back to the log-in, without a trace of the user; unless the session merely ended, also of what was not sent. */
  #leave(notice) {
    this.#credentials.forget();
    this.#lists.clear();
    if (!notice) this.#outbox.clear();
    this.user = null;
    this.isOnline = false;
    this.#turn("login", notice);
    this.#tell("status");
    if (!this.info) this.connect();
  }

  #left(code, reason) {
    this.isOnline = false;
    for (const list of this.#lists.values()) list.disconnected();
    if (code === revoked && this.#credentials.token) this.#leave(`You were logged out${reason ? `: ${reason}` : ""}.`);
  }

  async #ask(list, extra = {}) {
    try {
      await this.#whileOnline("subscribe", { ...list.request, ...extra });
    } catch (error) {
      if (error instanceof RpcError && !sessionOver.has(error.code)) list.fail(error);
    }
  }

  /** Sends for the logged-in user; an answer that the session is over leads to the log-in. */
  async #whileOnline(method, params) {
    if (!this.isOnline) throw new ConnectionLost();
    try {
      return await this.#connection.request(method, params);
    } catch (error) {
      if (sessionOver.has(error.code) && this.isOnline) this.#leave("Your session has expired. Please log in again.");
      if (error instanceof RpcError) error.message = inWords(error, this.#lists.values());
      throw error;
    }
  }

  #informed(info) {
    this.info = info;
    if (info.version !== undefined) for (const list of this.#lists.values()) list.advance(info.version);
  }

  #notified(method, params) {
    if (method === "initial") {
      this.#apply(params.name, (list) => list.applyInitial(params, this.info.epoch));
    } else if (method === "change") {
      for (const update of params.updates) {
        this.#apply(update.name, (list) => list.applyChange(update, params.version, this.info.epoch));
      }
      for (const list of this.#lists.values()) list.advance(params.version);
    } else if (method === "error") {
      this.#lists.get(params.name)?.fail(new RpcError(params));
    }
  }

  /** A list that a diff does not fit is asked for anew rather than shown wrong. */
  #apply(name, step) {
    const list = this.#lists.get(name);
    if (!list) return;
    try {
      step(list);
    } catch (error) {
      console.error(error);
      list.forget();
      this.#whileOnline("unsubscribe", { name }).catch(() => {});
      this.#ask(list);
    }
  }

  #turn(phase, notice = "") {
    if (this.phase === phase && this.notice === notice) return;
    this.phase = phase;
    this.notice = notice;
    this.#tell("phase");
  }

  #tell(type) {
    this.dispatchEvent(new Event(type));
  }
}

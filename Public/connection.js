// One WebSocket that speaks JSON-RPC 2.0 and comes back by itself.

/** The server's answer to a request was an error; `code` and `data` as the protocol lists them. */
export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data ?? {};
  }
}

/** The connection went away before the answer came: whether the request was carried out is not known. */
export class ConnectionLost extends Error {
  constructor() {
    super("The server can’t be reached.");
  }
}

const closedForGood = new Set([1002, 1003, 1007, 1008, 1009, 4001, 4002]);
const firstDelay = 500;
const longestDelay = 30_000;
const silenceBeforeProbe = 20_000;
const patienceForProbe = 12_000;
const stableAfter = 5_000;

export class Connection {
  #url;
  #handlers;
  #socket = null;
  #requests = new Map();
  #nextId = 1;
  #failures = 0;
  #retryTimer = 0;
  #stableTimer = 0;
  #heardAt = 0;
  #probedAt = 0;
  #waiters = [];

  /**
   * @param handlers `{opened(), closed(code, reason), notified(method, params), status(status), wanted()}`;
   * `status` is `{state: "connecting"|"open"|"waiting"|"stopped"|"idle", retryAt, code, reason}`,
   * and `wanted` says whether a lost connection is to be made again.
   */
  constructor(url, handlers) {
    this.#url = url;
    this.#handlers = handlers;
    setInterval(() => this.#watch(), 4_000);
    addEventListener("online", () => this.#hurry());
    addEventListener("offline", () => this.#probe());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects now, whatever was waited for; asked for by a person or a sign that the network is back. */
  connect() {
    this.#failures = 0;
    this.#open();
  }

  #open() {
    if (this.#socket) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = 0;
    this.#handlers.status({ state: "connecting" });
    const socket = new WebSocket(this.#url, "todosync.v1");
    this.#socket = socket;
    const stillConnecting = setTimeout(() => socket === this.#socket && this.#drop(1006, ""), 15_000);
    socket.onopen = () => {
      clearTimeout(stillConnecting);
      this.#heardAt = performance.now();
      this.#probedAt = 0;
      this.#handlers.status({ state: "open" });
      this.#handlers.opened();
      for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    };
    socket.onmessage = (event) => {
      this.#heardAt = performance.now();
      this.#probedAt = 0;
      this.#receive(event.data);
    };
    socket.onclose = (event) => {
      clearTimeout(stillConnecting);
      this.#drop(event.code, event.reason);
    };
  }

  /** Resolves once a socket is open; fails when the next attempt does. */
  opened() {
    if (this.isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.connect();
    });
  }

  request(method, params) {
    if (!this.isOpen) return Promise.reject(new ConnectionLost());
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** The log-in held: after a while of that, the next loss is the first again. */
  settled() {
    clearTimeout(this.#stableTimer);
    this.#stableTimer = setTimeout(() => (this.#failures = 0), stableAfter);
  }

  /** The server can't serve this session now: leave, and come back no sooner than it asked for. */
  retryLater(seconds = 0) {
    this.#drop(1013, "", seconds * 1_000);
  }

  #receive(text) {
    const message = JSON.parse(text);
    if (message.method !== undefined) {
      this.#handlers.notified(message.method, message.params);
      return;
    }
    const request = this.#requests.get(message.id);
    this.#requests.delete(message.id);
    if (message.error) request?.reject(new RpcError(message.error));
    else request?.resolve(message.result);
  }

  #drop(code, reason, leastDelay = code === 1013 ? 2_000 : 0) {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = null;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    clearTimeout(this.#stableTimer);
    for (const request of this.#requests.values()) request.reject(new ConnectionLost());
    this.#requests.clear();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new ConnectionLost());
    this.#handlers.closed(code, reason);
    if (!this.#handlers.wanted()) {
      this.#handlers.status({ state: "idle" });
    } else if (closedForGood.has(code)) {
      this.#handlers.status({ state: "stopped", code, reason });
    } else {
      this.#wait(leastDelay);
    }
  }

  #wait(leastDelay) {
    const ceiling = Math.min(longestDelay, firstDelay * 2 ** this.#failures);
    this.#failures += 1;
    // Half of the delay is chance, so that the clients of a restarted server don't come back as one.
    const delay = leastDelay + ceiling * (0.5 + Math.random() / 2);
    this.#retryTimer = setTimeout(() => this.#open(), delay);
    this.#handlers.status({ state: "waiting", retryAt: performance.now() + delay });
  }

  #hurry() {
    if (this.#retryTimer) this.connect();
    else this.#probe();
  }

  /** A browser can't ping: `info` asks for a sign of life. */
  #probe() {
    if (!this.isOpen || this.#probedAt) return;
    this.#probedAt = performance.now();
    this.request("info").then(this.#handlers.informed, () => {});
  }

  #watch() {
    if (!this.isOpen) return;
    const now = performance.now();
    if (this.#probedAt && now - this.#probedAt > patienceForProbe) this.#drop(1006, "");
    else if (now - this.#heardAt > silenceBeforeProbe) this.#probe();
  }
}

// The page: which view is shown, the bar at its top, and how the connection is doing.

import { AccountView } from "./accountview.js";
import { BoardView } from "./boardview.js";
import { confirm } from "./dialogs.js";
import { announce, find, plural, setText } from "./dom.js";
import { invitationInAddress, takeInvitation } from "./invitation.js";
import { LoginView } from "./loginview.js";
import { People } from "./people.js";
import { ProjectsView } from "./projectsview.js";
import { Session } from "./session.js";
import { showRefusal } from "./toasts.js";

/** A short interruption is not worth a banner. */
const bannerAfter = 400;

class App {
  /** Where the page stands, `sync` stands beside it: also under a path of a reverse proxy. */
  session = new Session(socketAddress());
  people = new People(this.session);
  mine = null;
  shared = null;
  permissions = null;
  #view = null;
  #shownUser = null;
  #bannerTimer = 0;
  #isTaking = false;

  start() {
    const session = this.session;
    session.addEventListener("phase", () => this.#turn());
    session.addEventListener("status", () => {
      this.#showStatus();
      this.#view?.connectionChanged?.();
      if (session.phase === "ready" && session.isOnline) this.#takeInvitation();
    });
    session.addEventListener("refused", (event) => showRefusal(event.detail));
    addEventListener("hashchange", () => this.#route());
    new AccountView(session);
    find("#logout").addEventListener("click", () => this.#logOut());
    find("#reconnect").addEventListener("click", () => session.connect());
    find("#skip").addEventListener("click", (event) => {
      event.preventDefault();
      find("#main").focus();
    });
    setInterval(() => this.#showStatus(), 1_000);
    session.connect();
  }

  /** The title of the shown view may have changed. */
  retitle() {
    if (this.#view) document.title = `${this.#view.title} – TodoSync`;
  }

  #turn() {
    const { session } = this;
    find("#account").hidden = session.phase !== "ready";
    find("#header").hidden = session.phase === "login";
    this.#showStatus();
    if (session.phase === "login") {
      this.#shownUser = null;
      if (this.#view instanceof LoginView) this.#view.update();
      else this.#show(() => new LoginView(session, find("#main")));
    } else if (this.#shownUser !== session.user.userId) {
      this.#shownUser = session.user.userId;
      setText(find("#user-name"), session.user.name);
      this.#subscribe();
      this.#route();
    }
  }

  /** What every view of this user needs, for as long as the user is logged in. */
  #subscribe() {
    const { session } = this;
    const projects = { class: "Project", sort: ["-timestamp"] };
    this.mine = session.subscribe({ ...projects, name: "my-projects", filter: "owner == $user", limit: 500 });
    this.shared = session.subscribe({ ...projects, name: "shared-projects", filter: "owner != $user", limit: 200 });
    this.permissions = session.subscribe({ name: "my-permissions", class: "Permission", filter: "userId == $user" });
    this.permissions.listen(() => this.#view?.update());
  }

  #route() {
    if (this.session.phase !== "ready") return;
    const [, projectId] = /^#\/projects\/([\w-]{1,64})$/.exec(location.hash) ?? [];
    if (invitationInAddress() !== null) this.#takeInvitation();
    this.#show(() => (projectId ? new BoardView(this, find("#main"), projectId) : new ProjectsView(this, find("#main"))));
  }

  /** Once at a time: the address changes when it is taken. */
  async #takeInvitation() {
    if (this.#isTaking) return;
    this.#isTaking = true;
    await takeInvitation(this.session);
    this.#isTaking = false;
  }

  #show(make) {
    const isFirst = this.#view === null;
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    this.#view?.close();
    this.#view = null;
    this.#view = make();
    this.retitle();
    scrollTo({ top: 0, behavior: "instant" });
    if (!isFirst && !(this.#view instanceof LoginView)) find("#main").focus({ preventScroll: true });
  }

  async #logOut() {
    const count = this.session.waiting.length;
    const question = {
      title: "Log out now?",
      text: `${plural(count, "change has", "changes have")} not reached the server yet and would be lost.`,
      accept: "Log out",
    };
    if (count > 0 && !await confirm(question)) return;
    await this.session.logOut();
  }

  #showStatus() {
    const { status, waiting, isOnline, phase } = this.session;
    const banner = find("#connection");
    const isFine = isOnline || status.state === "idle" || (phase === "login" && status.state === "open");
    document.documentElement.dataset.online = String(isOnline);
    if (isFine) {
      clearTimeout(this.#bannerTimer);
      this.#bannerTimer = 0;
      if (!banner.hidden) announce("Online again.");
      banner.hidden = true;
      return;
    }
    this.#bannerTimer ||= setTimeout(() => {
      banner.hidden = false;
      announce("Offline.");
    }, bannerAfter);
    const unsent = waiting.length > 0 ? ` ${plural(waiting.length, "change", "changes")} will be sent then.` : "";
    setText(find("#connection-text"), statusText(status, unsent));
    find("#reconnect").hidden = status.state !== "waiting" && status.state !== "stopped";
  }
}

function statusText({ state, retryAt, code, reason }, unsent) {
  if (state === "stopped") return `The server closed the connection (${code}${reason ? `: ${reason}` : ""}).${unsent}`;
  const seconds = Math.ceil((retryAt - performance.now()) / 1_000);
  if (state === "waiting" && seconds > 1) return `Offline. Trying again in ${seconds} s.${unsent}`;
  return `Offline. Connecting…${unsent}`;
}

function socketAddress() {
  const address = new URL("sync", document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.search = address.hash = "";
  return address.href;
}

new App().start();

// The user's own account: where it is logged in, and its password.

import { RpcError } from "./connection.js";
import { find, fromTemplate, setText } from "./dom.js";
import { faultOfPassword } from "./passwords.js";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** What a browser calls itself, in the words of a person; other programs by their own name. */
export function describeProgram(userAgent) {
  if (!userAgent) return "Unknown program";
  const browser = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]]
    .find(([sign]) => userAgent.includes(sign))?.[1];
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["Linux", "Linux"]]
    .find(([sign]) => userAgent.includes(sign))?.[1];
  if (!browser) return userAgent.split(/[\s(]/, 1)[0].slice(0, 60);
  return system ? `${browser} on ${system}` : browser;
}

export class AccountView {
  #session;
  #dialog = find("#account-dialog");
  #problem = find("#account-problem");
  #done = find("#account-done");

  constructor(session) {
    this.#session = session;
    find("#account-open").addEventListener("click", () => this.#open());
    find("#account-close").addEventListener("click", () => this.#dialog.close());
    find("#log-out-everywhere").addEventListener("click", () => this.#logOutEverywhere());
    find("#session-list").addEventListener("click", (event) => {
      const button = event.target.closest("[data-action=end]");
      if (button) this.#end(button);
    });
    find("#password-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#changePassword();
    });
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.addEventListener("close", () => find("#password-form").reset());
  }

  async #open() {
    this.#tell("", "");
    setText(find("#account-title"), this.#session.user.name);
    find("#password-form").hidden = true;
    find("#session-list").replaceChildren();
    this.#dialog.showModal();
    await this.#showSessions();
  }

  async #showSessions() {
    try {
      const { sessions, hasPassword } = await this.#session.call("sessions", {});
      find("#password-form").hidden = !hasPassword;
      const rows = sessions.toSorted((one, other) => other.current - one.current || (one.lastSeen < other.lastSeen ? 1 : -1));
      find("#session-list").replaceChildren(...rows.map(row));
    } catch (error) {
      this.#refused(error);
    }
  }

  async #end(button) {
    button.disabled = true;
    try {
      await this.#session.call("session.end", { id: button.closest("[data-session]").dataset.session });
      this.#tell("", "That session is ended.");
    } catch (error) {
      this.#refused(error);
    }
    await this.#showSessions();
    // The button that had the focus is gone.
    find("#account-close").focus();
  }

  async #logOutEverywhere() {
    this.#dialog.close();
    await this.#session.logOut({ everywhere: true });
  }

  async #changePassword() {
    const [old, fresh] = ["#old-password", "#new-password"].map((selector) => find(selector).value);
    const save = find("#password-save");
    const fault = faultOfPassword(fresh, this.#session.info?.limits);
    if (fault) {
      this.#tell(fault, "");
      find("#new-password").focus();
      return;
    }
    save.disabled = true;
    try {
      await this.#session.call("changePassword", { old, new: fresh });
      find("#password-form").reset();
      this.#tell("", "The password is changed, and you are logged out everywhere else.");
      await this.#showSessions();
    } catch (error) {
      this.#refused(error);
    } finally {
      save.disabled = false;
    }
  }

  #refused(error) {
    this.#tell(error instanceof RpcError ? error.message : "That did not reach the server. Try again when you are online.", "");
  }

  #tell(problem, done) {
    for (const [element, text] of [[this.#problem, problem], [this.#done, done]]) {
      setText(element, text);
      element.hidden = !text;
    }
  }
}

function row(session) {
  const element = fromTemplate("session-row");
  element.dataset.session = session.id;
  const name = describeProgram(session.userAgent);
  setText(find(".name", element), name);
  const [since, lastSeen] = [session.created, session.lastSeen].map((date) => moment.format(new Date(date)));
  const seen = `Since ${since}, ${session.address ? `connected from ${session.address}` : `last seen ${lastSeen}`}`;
  setText(find(".place", element), seen);
  find(".here", element).hidden = !session.current;
  const end = find("button", element);
  end.hidden = session.current;
  end.setAttribute("aria-label", `Log out ${name}, ${seen}`);
  return element;
}

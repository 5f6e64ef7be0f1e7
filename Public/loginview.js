// The log-in: by nickname or by password, whichever the server offers.

import { find, fromTemplate, setText } from "./dom.js";
import { damage, invitationInAddress } from "./invitation.js";
import { faultOfPassword } from "./passwords.js";

export class LoginView {
  title = "Log in";
  #session;
  #root = fromTemplate("login-view");
  #provider = null;
  #isRegistering = false;

  constructor(session, container) {
    this.#session = session;
    const root = this.#root;
    container.replaceChildren(root);
    find("#login-providers", root).addEventListener("click", (event) => {
      const provider = event.target.dataset.provider;
      if (provider) this.#choose(provider);
    });
    find("#register", root).addEventListener("click", () => this.#register(!this.#isRegistering));
    find("#login-form", root).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.update();
  }

  /** The server's offer, or the notice, may have changed. */
  update() {
    const notice = find("#login-notice", this.#root);
    const invitation = invitationInAddress();
    const text = this.#session.notice || (invitation ? "Log in to take the invitation." : invitation === "" ? damage : "");
    notice.hidden = !text;
    setText(notice, text);
    const offered = (this.#session.info?.providers ?? []).filter((name) => name === "nickname" || name === "password");
    if (this.#session.info && offered.length === 0) {
      this.#complain("This server offers no log-in that this page knows.");
      find("#login", this.#root).disabled = true;
      return;
    }
    find("#login-providers", this.#root).hidden = offered.length < 2;
    if (!offered.includes(this.#provider) && offered.length > 0) this.#choose(offered.includes("nickname") ? "nickname" : "password");
  }

  close() {}

  #choose(provider) {
    this.#provider = provider;
    const root = this.#root;
    for (const fields of root.querySelectorAll("[data-fields]")) fields.hidden = fields.dataset.fields !== provider;
    for (const button of root.querySelectorAll("[data-provider]")) {
      button.setAttribute("aria-pressed", String(button.dataset.provider === provider));
    }
    this.#register(false);
  }

  #register(isRegistering) {
    const root = this.#root;
    this.#isRegistering = isRegistering;
    this.#complain("");
    find("#register", root).hidden = this.#provider !== "password";
    setText(find("#register", root), isRegistering ? "Have an account? Log in" : "New here? Create an account");
    setText(find("#login", root), isRegistering ? "Create account" : "Log in");
    find("#password", root).autocomplete = isRegistering ? "new-password" : "current-password";
    find("#password-hint", root).hidden = !isRegistering;
    find(this.#provider === "nickname" ? "#nickname" : "#username", root).focus();
  }

  async #submit() {
    const root = this.#root;
    const username = find("#username", root).value.trim();
    const password = find("#password", root).value;
    const nickname = find("#nickname", root).value.trim();
    if (this.#provider === "nickname" && !nickname) return this.#complain("Please enter a nickname.", "#nickname");
    if (this.#provider === "password" && !username) return this.#complain("Please enter your user name.", "#username");
    if (this.#provider === "password" && !password) return this.#complain("Please enter your password.", "#password");
    const fault = this.#isRegistering ? faultOfPassword(password, this.#session.info?.limits) : null;
    if (fault) return this.#complain(fault, "#password");
    const [method, params] = this.#provider === "nickname" ? ["login", { provider: "nickname", nickname }]
      : this.#isRegistering ? ["register", { username, password }]
      : ["login", { provider: "password", username, password }];
    const button = find("#login", root);
    this.#complain("");
    button.disabled = true;
    try {
      await this.#session.logIn(method, params, find("#remember", root).checked);
    } catch (error) {
      const wait = error.data?.retryAfter;
      this.#complain(wait ? `${error.message} Try again in ${Math.ceil(wait)} s.` : error.message,
        this.#provider === "nickname" ? "#nickname" : "#password");
    } finally {
      button.disabled = false;
    }
  }

  #complain(text, field) {
    const problem = find("#login-error", this.#root);
    problem.hidden = !text;
    setText(problem, text);
    if (field) find(field, this.#root).focus();
  }
}

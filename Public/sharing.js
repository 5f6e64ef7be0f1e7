// The sharing panel of a project: its members, invitation links, and what everyone else may do.

import { confirm } from "./dialogs.js";
import { announce, excerpt, find, fromTemplate, plural, setText } from "./dom.js";
import { roleIn } from "./rights.js";
import { showRefusal, showToast } from "./toasts.js";

const roles = { viewer: "can see", editor: "can change", owner: "owner" };

/** Opens the panel; it follows what others change until it is closed. */
export function openSharing(app, project) {
  new SharingPanel(app, project).open();
}

class SharingPanel {
  #app;
  #session;
  #project;
  #projectId;
  #dialog = find("#share-dialog");
  #members;
  #rows = new Map();
  #listening = new AbortController();
  #stops = [];

  constructor(app, project) {
    this.#app = app;
    this.#session = app.session;
    this.#projectId = project.projectId;
    const ofProject = { filter: "projectId == $0", args: [project.projectId] };
    this.#members = this.#session.subscribe({ ...ofProject, name: `members:${project.projectId}`, class: "Permission", limit: 500 });
    this.#project = this.#session.subscribe({ ...ofProject, name: `shared:${project.projectId}`, class: "Project", limit: 1 });
    for (const list of [this.#members, this.#project, app.permissions]) this.#stops.push(list.listen(() => this.#show()));
  }

  open() {
    const dialog = this.#dialog;
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.#listening.signal });
    on(dialog, "click", (event) => {
      if (event.target === dialog || event.target.closest("[data-action=close]")) dialog.close();
    });
    on(dialog, "close", () => this.#close());
    on(find("#share-form"), "submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    on(find("#members"), "change", (event) => this.#changeRole(event.target));
    on(find("#members"), "click", (event) => event.target.closest("[data-action=remove]") && this.#remove(event.target.closest("li")));
    on(find("#invites"), "click", (event) => event.target.closest("[data-action=revoke]") && this.#revoke(event.target.closest("li").dataset.inviteId));
    on(find("#make-link"), "click", () => this.#makeLink());
    on(find("#copy-link"), "click", () => this.#copy());
    on(find("#share-access"), "change", (event) => this.#write({ update: "Project", id: this.#projectId, set: { access: event.target.value } }));
    on(find("#leave-project"), "click", () => this.#leave());
    find("#members").replaceChildren();
    find("#invites").replaceChildren();
    // Of the last time: the links are asked for when an owner is seen to open it.
    delete dialog.dataset.owner;
    const { inviteUses, inviteSeconds } = this.#session.info?.limits ?? {};
    for (const [choice, most] of [["#link-uses", inviteUses], ["#link-seconds", inviteSeconds]]) limitChoice(find(choice), most);
    find("#share-name").value = "";
    find("#new-link").hidden = true;
    find("#link").value = "";
    this.#complain("");
    this.#show();
    dialog.showModal();
    find("#share-done").focus();
  }

  #close() {
    this.#listening.abort();
    for (const stop of this.#stops) stop();
    this.#session.unsubscribe(this.#members);
    this.#session.unsubscribe(this.#project);
    find("#link").value = "";
  }

  get #name() {
    return excerpt(this.#project.objects[0]?.name ?? "");
  }

  get #isOwner() {
    const project = this.#project.objects[0];
    return project !== undefined && roleIn(project, this.#app) === "owner";
  }

  #show() {
    const project = this.#project.objects[0];
    if (!project) {
      if (this.#project.isComplete && this.#dialog.open) this.#dialog.close();
      return;
    }
    const isOwner = this.#isOwner;
    setText(find("#share-title"), `Sharing “${this.#name}”`);
    for (const part of this.#dialog.querySelectorAll("[data-for=owner]")) part.hidden = !isOwner;
    find("#share-access").value = project.access;
    const own = this.#session.user?.userId;
    const owners = this.#members.objects.filter(({ role }) => role === "owner");
    const isLastOwner = owners.length === 1 && owners[0].userId === own;
    find("#leave-project").hidden = isLastOwner || !this.#members.objects.some(({ userId }) => userId === own);
    this.#showMembers(isOwner, own);
    if (isOwner && this.#dialog.dataset.owner !== "true") this.#listInvites();
    this.#dialog.dataset.owner = String(isOwner);
  }

  #showMembers(isOwner, own) {
    const members = this.#members.objects;
    const owners = members.filter(({ role }) => role === "owner").length;
    const kept = new Set(members.map(({ userId }) => userId));
    for (const [userId, row] of this.#rows) {
      if (kept.has(userId)) continue;
      row.remove();
      this.#rows.delete(userId);
    }
    for (const { userId, role } of members) {
      const row = this.#rows.get(userId) ?? this.#makeRow(userId);
      const isLast = role === "owner" && owners === 1;
      const choice = find("[data-action=role]", row);
      choice.hidden = !isOwner;
      choice.disabled = isLast;
      choice.value = role;
      find("[data-action=remove]", row).hidden = !isOwner || isLast || userId === own;
      setText(find(".detail", row), [userId === own ? "you" : "", isOwner ? "" : roles[role]].filter(Boolean).join(", "));
    }
  }

  #makeRow(userId) {
    const row = fromTemplate("member-row");
    row.dataset.userId = userId;
    this.#rows.set(userId, row);
    find("#members").append(row);
    const name = (text) => {
      setText(find(".name", row), text);
      find(".name", row).title = text;
      setText(find(".initial", row), initialOf(text));
      find("[data-action=role]", row).setAttribute("aria-label", `What ${text} may do`);
      find("[data-action=remove]", row).setAttribute("aria-label", `Remove ${text}`);
    };
    name("…");
    this.#app.people.name(userId, name);
    return row;
  }

  async #write(...changes) {
    try {
      await this.#session.write(...changes);
      return true;
    } catch (error) {
      this.#complain(error.message);
      this.#show();
      return false;
    }
  }

  #complain(text) {
    const place = find("#share-error");
    place.hidden = !text;
    setText(place, text);
  }

  async #add() {
    const input = find("#share-name");
    const userName = input.value.trim();
    if (!userName) return input.focus();
    const role = find("#share-role").value;
    this.#complain("");
    if (isSameName(userName, this.#session.user.name) && !await this.#isMeant(role)) return;
    const object = { projectId: this.#projectId, userName, role };
    if (!await this.#write({ upsert: "Permission", object })) return input.select();
    input.value = "";
    input.focus();
    announce(`Shared with ${userName}.`);
  }

  async #changeRole(choice) {
    const userId = choice.closest("li").dataset.userId;
    const role = choice.value;
    this.#complain("");
    if (userId === this.#session.user.userId && !await this.#isMeant(role)) return this.#show();
    await this.#write({ update: "Permission", id: `${this.#projectId}:${userId}`, set: { role } });
  }

  /** Whether the user shall have that role, which is asked where it means to be an owner no longer. */
  async #isMeant(role) {
    const own = this.#members.objects.find(({ userId }) => userId === this.#session.user.userId);
    if (role === "owner" || own?.role !== "owner") return true;
    return confirm({
      title: `Stop being an owner of “${this.#name}”?`,
      text: `You can then ${role === "viewer" ? "only look at it" : "change its tasks, but not share or delete it"}. Only another owner can make you one again.`,
      accept: "Stop being an owner",
    });
  }

  async #remove(row) {
    const { userId } = row.dataset;
    const isPrivate = this.#project.objects[0]?.access === "private";
    const links = find("#invites").childElementCount > 0 ? " A link that still holds would let them in again, so revoke it too." : "";
    const question = {
      title: `Remove “${find(".name", row).textContent}” from “${this.#name}”?`,
      text: (isPrivate ? "They no longer see its tasks." : "They can then do no more than everyone else.") + links,
      accept: "Remove",
    };
    if (!await confirm(question)) return;
    this.#complain("");
    if (await this.#write({ delete: "Permission", id: `${this.#projectId}:${userId}` })) find("#share-name").focus();
  }

  async #leave() {
    const name = this.#name;
    const question = { title: `Leave “${name}”?`, text: "You no longer see its tasks, unless somebody shares it with you again.", accept: "Leave" };
    if (!await confirm(question)) return;
    const permission = `${this.#projectId}:${this.#session.user.userId}`;
    // Away first: of a project that was left, its own view could only say that it is not here.
    location.hash = "#/";
    await this.#session.write({ delete: "Permission", id: permission }).then(() => showToast(`You left “${name}”.`), showRefusal);
  }

  // Links

  async #listInvites() {
    try {
      const { invites } = await this.#session.call("invite.list", { projectId: this.#projectId });
      find("#invites").replaceChildren(...invites.map((invite) => this.#inviteRow(invite)));
    } catch {
      // Without the list, links can be made all the same.
    }
  }

  #inviteRow({ inviteId, role, expiresAt, uses }) {
    const row = fromTemplate("invite-row");
    row.dataset.inviteId = inviteId;
    const until = new Date(expiresAt).toLocaleDateString(undefined, { day: "numeric", month: "short" });
    setText(find(".name", row), `Link: ${roles[role]}`);
    setText(find(".detail", row), `until ${until}, ${plural(uses, "use", "uses")} left`);
    find("[data-action=revoke]", row).setAttribute("aria-label", `Revoke the link (${roles[role]}, until ${until})`);
    return row;
  }

  async #makeLink() {
    this.#complain("");
    try {
      const [uses, seconds] = ["#link-uses", "#link-seconds"].map((choice) => Number(find(choice).value));
      const { code } = await this.#session.call("invite.create", { projectId: this.#projectId, role: find("#link-role").value, uses, seconds });
      const link = new URL(document.baseURI);
      link.hash = `invite=${code}`;
      find("#link").value = link.href;
      find("#new-link").hidden = false;
      find("#copy-link").focus();
      await this.#listInvites();
    } catch (error) {
      this.#complain(error.message);
    }
  }

  async #copy() {
    const field = find("#link");
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // The clipboard is for secure pages; the older way asks for none.
      document.execCommand("copy");
    }
    showToast("The link is copied.");
  }

  async #revoke(inviteId) {
    try {
      await this.#session.call("invite.revoke", { inviteId });
      find("#new-link").hidden = true;
      await this.#listInvites();
      find("#make-link").focus();
    } catch (error) {
      this.#complain(error.message);
    }
  }
}

/** As the server compares names, but for rare letters: a slip is to be noticed, nothing depends on it. */
function isSameName(one, other) {
  return one.normalize("NFC").toLowerCase() === other.normalize("NFC").toLowerCase();
}

/** Offers only what the server's operator allows. */
function limitChoice(choice, most = Infinity) {
  for (const option of choice.options) option.disabled = Number(option.value) > most;
  if (choice.selectedOptions[0]?.disabled) choice.value = [...choice.options].findLast(({ disabled }) => !disabled)?.value;
}

/** The first letter as people count them: it may be made of several code points. */
export function initialOf(name) {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}

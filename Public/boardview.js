// One project: its open and its completed tasks.

import { confirm } from "./dialogs.js";
import { excerpt, find, fromTemplate, identifier, plural, setText } from "./dom.js";
import { ListSection } from "./listsection.js";
import { Presence } from "./presence.js";
import { deleteProject, renameProject } from "./projectsview.js";
import { Reordering } from "./reordering.js";
import { roleIn } from "./rights.js";
import { initialOf, openSharing } from "./sharing.js";
import { Stage } from "./stage.js";
import { closeEditor, complain, createTaskRow, editedFields, isEditing, openEditor, setReadOnly, updateTaskRow } from "./taskrow.js";
import { showRefusal, showToast } from "./toasts.js";

const openLimit = 2_000;
const completedLimit = 200;

export class BoardView {
  title = "Project";
  #app;
  #session;
  #projectId;
  #root = fromTemplate("board-view");
  #stage = new Stage();
  #lists;
  #open;
  #completed;
  #stopListening;
  #reordering;
  #presence;

  constructor(app, container, projectId) {
    this.#app = app;
    this.#session = app.session;
    this.#projectId = projectId;
    const root = this.#root;
    container.replaceChildren(root);
    const tasks = { class: "Item", args: [projectId] };
    this.#lists = {
      project: this.#session.subscribe({ name: `project:${projectId}`, class: "Project", filter: "projectId == $0", args: [projectId], limit: 1 }),
      open: this.#session.subscribe({
        ...tasks, name: `open:${projectId}`, filter: "projectId == $0 AND isDone == false", sort: ["position"], limit: openLimit,
      }),
      completed: this.#session.subscribe({
        ...tasks, name: `completed:${projectId}`, filter: "projectId == $0 AND isDone == true", sort: ["-completedAt"], limit: completedLimit,
      }),
    };
    this.#stopListening = this.#lists.project.listen(() => this.update());
    const create = (item) => {
      const row = createTaskRow(item);
      this.#showEditors(row);
      return row;
    };
    const options = { key: "itemId", create, update: updateTaskRow };
    this.#open = this.#section("#open-tasks", this.#lists.open, { ...options, count: () => this.#project?.openCount ?? this.#lists.open.objects.length });
    this.#completed = this.#section("#completed-tasks", this.#lists.completed, {
      ...options,
      count: () => this.#completedCount,
    });
    this.#reordering = new Reordering(this.#open.view, (change) => this.#session.write(change));
    find("#new-task-form", root).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    this.#presence = new Presence(this.#session, projectId, () => this.#showPresent());
    // Whatever opened or closed an editor has done so when the event is over.
    for (const type of ["click", "submit", "keydown"]) root.addEventListener(type, () => queueMicrotask(() => this.#tellEditing()));
    find("#share-project", root).addEventListener("click", () => openSharing(app, this.#project));
    find("#rename-project", root).addEventListener("click", () => renameProject(app, this.#project));
    find("#delete-project", root).addEventListener("click", () => this.#deleteProject());
    find("#clear-completed", root).addEventListener("click", () => this.#clearCompleted());
    this.update();
  }

  get #project() {
    return this.#lists?.project.objects[0];
  }

  get #completedCount() {
    const project = this.#project;
    return project ? project.itemCount - project.openCount : this.#lists.completed.objects.length;
  }

  get #isReadOnly() {
    return this.#root.dataset.role === "viewer";
  }

  close() {
    this.#stopListening();
    this.#presence.close();
    this.#reordering.close();
    this.#stage.close();
    for (const list of Object.values(this.#lists)) this.#session.unsubscribe(list);
  }

  connectionChanged() {
    this.#presence.connectionChanged();
    this.#showWaiting();
  }

  /** The project or the rights may have changed. */
  update() {
    const root = this.#root;
    const project = this.#project;
    const isGone = !project && this.#lists.project.isComplete;
    find("#project-gone", root).hidden = !isGone;
    find(".columns", root).hidden = isGone;
    find(".heading", root).hidden = isGone;
    this.title = isGone ? "Not here" : project?.name.trim() || "Project";
    this.#app.retitle();
    if (project) {
      const role = roleIn(project, this.#app);
      root.dataset.role = role;
      for (const editor of root.querySelectorAll(".editor")) setReadOnly(editor.parentElement, role === "viewer");
      this.#tellEditing();
      setText(find("#project-title", root), this.title);
      find("#project-title", root).title = this.title;
      find("#read-only", root).hidden = role !== "viewer";
      find("#new-task-form", root).hidden = role === "viewer";
      find("#share-project", root).hidden = false;
      find("#rename-project", root).hidden = role === "viewer";
      find("#delete-project", root).hidden = role !== "owner";
      find("#clear-completed", root).hidden = role === "viewer" || this.#completedCount === 0;
      this.#open?.update();
      this.#completed?.update();
    } else {
      find("#read-only", root).hidden = true;
    }
    this.#showWaiting();
  }

  #section(selector, list, options) {
    const root = find(selector, this.#root);
    const section = new ListSection(this.#session, this.#stage, list, root, options);
    const handle = (type, handler) => root.addEventListener(type, (event) => {
      const element = event.target.closest("[data-item-id]");
      const row = element && section.view.row(element.dataset.itemId);
      if (row) handler(event, row, event.target.closest("[data-action]")?.dataset.action);
    });
    handle("click", (event, row, action) => this.#click(row, action));
    handle("change", (event, row, action) => action === "tick" && this.#tick(row, event.target));
    handle("submit", (event, row) => {
      event.preventDefault();
      this.#save(row);
    });
    handle("keydown", (event, row) => this.#key(event, row));
    return section;
  }

  #click(row, action) {
    if (action === "edit" && !this.#isReadOnly) openEditor(row.element, row.object);
    else if (action === "cancel") closeEditor(row.element);
    else if (action === "delete") this.#delete(row);
  }

  #key(event, row) {
    if (!isEditing(row.element) || !event.target.closest(".editor")) return;
    const isEnter = event.key === "Enter" && !event.isComposing;
    if (event.key === "Escape") {
      event.preventDefault();
      closeEditor(row.element);
    } else if (isEnter && (event.ctrlKey || event.metaKey || (!event.shiftKey && event.target.name !== "notes" && event.target.tagName !== "BUTTON"))) {
      event.preventDefault();
      this.#save(row);
    }
  }

  /** Sends a change of one row, which is dimmed until the server has answered; resolves with null where that refused it. */
  async #write(row, change, onRefused = showRefusal) {
    const element = row.element;
    element.dataset.sending = "";
    try {
      return await this.#session.write(change);
    } catch (error) {
      onRefused(error);
      return null;
    } finally {
      delete element.dataset.sending;
    }
  }

  async #tick(row, box) {
    if (this.#isReadOnly) {
      box.checked = row.object.isDone;
      return;
    }
    const result = await this.#write(row, { update: "Item", id: row.key, set: { isDone: box.checked } });
    if (!result) box.checked = row.object.isDone;
  }

  async #save(row) {
    if (this.#isReadOnly) return;
    const set = editedFields(row.element);
    if (set.body === "") return complain(row.element, "A task needs some text. To be rid of it, delete it.");
    closeEditor(row.element);
    if (Object.keys(set).length === 0) return;
    await this.#write(row, { update: "Item", id: row.key, set }, (error) => this.#reopen(row, set, error));
  }

  /** What was typed is not thrown away with the refusal. */
  #reopen(row, typed, error) {
    if (!row.element.isConnected) return showRefusal(error);
    openEditor(row.element, row.object, typed);
    complain(row.element, error.message);
    setReadOnly(row.element, this.#isReadOnly);
    this.#tellEditing();
  }

  async #delete(row) {
    const body = excerpt(row.object.body);
    const result = await this.#write(row, { delete: "Item", id: row.key });
    if (!result) return;
    const action = await this.#session.supports("undo") ? { label: "Undo", run: () => this.#session.undo(result.version).catch(showRefusal) } : null;
    showToast(`Deleted “${body}”.`, { action });
  }

  async #add() {
    const input = find("#new-task", this.#root);
    const body = input.value.trim();
    if (!body) return input.focus();
    input.value = "";
    const itemId = identifier();
    try {
      const outcome = this.#session.write({ create: "Item", object: { itemId, projectId: this.#projectId, body } });
      this.#showWaiting();
      await outcome;
      this.#stage.after(() => this.#open.view.row(itemId)?.element.scrollIntoView({ block: "nearest" }));
      this.#stage.flush();
    } catch (error) {
      if (!input.value) input.value = body;
      showRefusal(error);
    }
  }

  async #deleteProject() {
    if (await deleteProject(this.#app, this.#project)) location.hash = "#/";
  }

  async #clearCompleted() {
    const count = this.#completedCount;
    const title = "Delete all completed tasks?";
    const text = `${plural(count, "task is", "tasks are")} deleted, for everyone.`;
    if (!await confirm({ title, text, accept: "Delete tasks" })) return;
    const change = { delete: "Item", filter: "projectId == $0 AND isDone == true", args: [this.#projectId] };
    await this.#session.write(change).catch(showRefusal);
  }

  // Who else is here

  #tellEditing() {
    this.#presence.edit(find(".editor:not([data-read-only])", this.#root)?.closest("[data-item-id]")?.dataset.itemId ?? null);
  }

  #showPresent() {
    const others = this.#presence.others;
    const place = find("#present", this.#root);
    place.hidden = others.size === 0;
    const rows = [...others.keys()].map((userId) => {
      const row = document.createElement("li");
      row.dataset.userId = userId;
      const initial = document.createElement("span");
      initial.className = "initial";
      initial.setAttribute("aria-hidden", "true");
      const name = document.createElement("span");
      name.className = "name";
      name.dir = "auto";
      row.append(initial, name);
      this.#app.people.name(userId, (text) => {
        setText(name, text);
        name.title = text;
        setText(initial, initialOf(text));
      });
      return row;
    });
    place.replaceChildren(...rows);
    for (const row of this.#root.querySelectorAll("[data-item-id]")) this.#showEditors(row);
  }

  /** Says on a task's row who is editing it. */
  #showEditors(row) {
    const place = find(".person", row);
    const editors = [...(this.#presence?.others ?? [])].filter(([, items]) => items.has(row.dataset.itemId));
    // A name that comes late says nothing of who edited the task before.
    const told = editors.map(([userId]) => userId).join(" ");
    place.dataset.editors = told;
    if (editors.length === 0) return setText(place, "");
    this.#app.people.name(editors[0][0], (name) => {
      if (place.dataset.editors !== told) return;
      const more = editors.length > 1 ? ` and ${editors.length - 1} more` : "";
      setText(place, `${excerpt(name, 24)}${more} ${editors.length > 1 ? "are" : "is"} editing`);
    });
  }

  /** New tasks that can't be sent now are shown below the list, so that nobody types them again. */
  #showWaiting() {
    const waiting = this.#session.isOnline ? [] : this.#session.waiting.flatMap(({ changes }) => changes)
      .filter((change) => change.create === "Item" && change.object.projectId === this.#projectId);
    const rows = waiting.map(({ object }) => {
      const row = document.createElement("li");
      row.textContent = object.body;
      return row;
    });
    find(".waiting", this.#root).replaceChildren(...rows);
  }
}

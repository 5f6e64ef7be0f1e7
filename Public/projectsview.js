// All projects that the user may see, newest first: the own ones, and those of others.

import { confirm, editProject, updateConfirmation } from "./dialogs.js";
import { excerpt, find, fromTemplate, identifier, plural, setText } from "./dom.js";
import { ListSection } from "./listsection.js";
import { roleIn } from "./rights.js";
import { Stage } from "./stage.js";
import { showRefusal } from "./toasts.js";

const accessNames = { "everyone-read": "Everyone can see it", "everyone-write": "Everyone can change it" };

export class ProjectsView {
  title = "Projects";
  #app;
  #root = fromTemplate("projects-view");
  #stage = new Stage();
  #sections;
  #asked = null;

  constructor(app, container) {
    this.#app = app;
    container.replaceChildren(this.#root);
    find("#new-project-form", this.#root).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    const options = {
      key: "projectId",
      create: (project) => this.#create(project),
      update: (row, project) => this.#update(row, project),
      changed: () => this.#keepQuestionTrue(),
    };
    this.#sections = [["#my-projects", app.mine], ["#shared-projects", app.shared]].map(([selector, list]) => {
      const root = find(selector, this.#root);
      const section = new ListSection(app.session, this.#stage, list, root, options);
      root.addEventListener("click", (event) => this.#click(event, section.view));
      return section;
    });
  }

  close() {
    this.#stage.close();
  }

  /** The user's rights may have changed. */
  update() {
    for (const { view } of this.#sections) for (const row of view.rows) this.#update(row.element, row.object);
  }

  #create(project) {
    const row = fromTemplate("project-row");
    this.#update(row, project);
    return row;
  }

  #update(row, project) {
    const role = roleIn(project, this.#app);
    const name = project.name.trim() || "Untitled";
    const done = project.itemCount - project.openCount;
    row.dataset.projectId = project.projectId;
    find(".open", row).href = `#/projects/${project.projectId}`;
    setText(find(".name", row), name);
    setText(find(".counts", row), project.itemCount === 0 ? "No tasks"
      : `${project.openCount.toLocaleString()} open of ${plural(project.itemCount, "task", "tasks")}`);
    const progress = find("progress", row);
    progress.value = project.itemCount > 0 ? done / project.itemCount : 0;
    const isMine = project.owner === this.#app.session.user?.userId;
    const owner = find(".owner", row);
    if (isMine || !project.owner) setText(owner, "");
    else this.#app.people.name(project.owner, (person) => setText(owner, person));
    setText(find(".access", row), accessNames[project.access] ?? "");
    const rename = find("[data-action=rename]", row);
    rename.hidden = role === "viewer";
    rename.setAttribute("aria-label", `Edit ${name}`);
    const remove = find("[data-action=delete]", row);
    remove.hidden = role !== "owner";
    remove.setAttribute("aria-label", `Delete ${name}`);
    return true;
  }

  #add() {
    const input = find("#new-project", this.#root);
    const name = input.value.trim();
    if (!name) return input.focus();
    input.value = "";
    const projectId = identifier();
    this.#app.session.write({ create: "Project", object: { projectId, name } }).catch((error) => {
      if (!input.value) input.value = name;
      showRefusal(error);
    });
  }

  #click(event, view) {
    const action = event.target.closest("[data-action]")?.dataset.action;
    const key = event.target.closest("[data-project-id]")?.dataset.projectId;
    const project = key && view.row(key)?.object;
    if (!project) return;
    if (action === "rename") renameProject(this.#app, project);
    else if (action === "delete") this.#delete(view, project);
  }

  async #delete(view, project) {
    this.#asked = { view, key: project.projectId };
    await deleteProject(this.#app, project);
    this.#asked = null;
  }

  #keepQuestionTrue() {
    const project = this.#asked?.view.row(this.#asked.key)?.object;
    if (project) updateConfirmation(whatGoes(project));
  }
}

export async function renameProject(app, project) {
  const set = await editProject(project, roleIn(project, app) === "owner");
  if (set) await app.session.write({ update: "Project", id: project.projectId, set }).catch(showRefusal);
}

/** Asks first; resolves with whether the project was deleted. */
export async function deleteProject(app, project) {
  const title = `Delete “${excerpt(project.name)}”?`;
  if (!await confirm({ title, text: whatGoes(project), accept: "Delete project" })) return false;
  try {
    await app.session.write({ delete: "Project", id: project.projectId });
    return true;
  } catch (error) {
    showRefusal(error);
    return false;
  }
}

export function whatGoes({ itemCount }) {
  if (itemCount === 0) return "It has no tasks.";
  return itemCount === 1 ? "Its one task is deleted with it, for everyone." : `Its ${itemCount.toLocaleString()} tasks are deleted with it, for everyone.`;
}

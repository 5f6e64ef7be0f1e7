// Questions that need an answer before something happens.

import { find, setText } from "./dom.js";

/** Shows a modal dialog; resolves with true when its form was submitted, false when it was left in any other way. */
function ask(dialog) {
  const form = find("form", dialog);
  return new Promise((resolve) => {
    let isAccepted = false;
    const listening = new AbortController();
    const { signal } = listening;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      isAccepted = true;
      dialog.close();
    }, { signal });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-action=cancel]")) dialog.close();
    }, { signal });
    dialog.addEventListener("close", () => {
      listening.abort();
      resolve(isAccepted);
    }, { signal });
    dialog.showModal();
  });
}

/** `{title, text, accept}`; the safe answer has the focus. `update(text)` of the result keeps the text true meanwhile. */
export function confirm({ title, text, accept }) {
  const dialog = find("#confirm-dialog");
  setText(find("#confirm-title"), title);
  setText(find("#confirm-text"), text);
  setText(find("#confirm-accept"), accept);
  const answer = ask(dialog);
  find("#confirm-cancel").focus();
  return answer;
}

/** Keeps an open question true when what it speaks of changes. */
export function updateConfirmation(text) {
  setText(find("#confirm-text"), text);
}

/** Resolves with the changed fields of the project, or null. `isOwner`: may also say who can use it. */
export async function editProject(project, isOwner) {
  const dialog = find("#project-dialog");
  const name = find("#project-name");
  const access = find("#project-access");
  name.value = project.name;
  access.value = project.access;
  find("#project-access-field").hidden = !isOwner;
  const answer = ask(dialog);
  name.select();
  if (!await answer) return null;
  const set = {};
  const newName = name.value.trim();
  if (newName && newName !== project.name) set.name = newName;
  if (isOwner && access.value && access.value !== project.access) set.access = access.value;
  return Object.keys(set).length > 0 ? set : null;
}

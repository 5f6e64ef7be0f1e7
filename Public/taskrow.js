// One task on the screen, and the editor that opens inside it.

import { dateOf, dayOf, describeDue } from "./dates.js";
import { excerpt, find, fromTemplate, setText } from "./dom.js";

const priorities = ["", "Low", "Medium", "High"];
const editable = ["body", "dueDate", "priority", "notes"];

export function createTaskRow(item) {
  const element = fromTemplate("task-row");
  updateTaskRow(element, item, null);
  return element;
}

/** Shows `item`; returns whether that looks different from `previous`, for which null means anything. */
export function updateTaskRow(element, item, previous) {
  const isNew = previous === null;
  const differs = (field) => isNew || item[field] !== previous[field];
  const looksDifferent = [...editable, "isDone"].some(differs);
  if (!looksDifferent) return false;
  element.dataset.itemId = item.itemId;
  element.classList.toggle("done", item.isDone);
  find(".tick", element).checked = item.isDone;
  if (differs("body")) {
    setText(find(".text", element), item.body || "(no text)");
    const name = excerpt(item.body);
    find(".tick", element).setAttribute("aria-label", `Done: ${name}`);
    find(".handle", element).setAttribute("aria-label", `Move ${name}`);
    find(":scope > [data-action=delete]", element).setAttribute("aria-label", `Delete ${name}`);
  }
  showDue(find(".due", element), item);
  const priority = find(".priority", element);
  setText(priority, priorities[item.priority] ?? "");
  priority.dataset.priority = item.priority;
  setText(find(".notes", element), item.notes ? excerpt(item.notes) : "");
  if (isEditing(element)) refreshEditor(element, item);
  return true;
}

function showDue(element, { dueDate, isDone }) {
  if (!dueDate) return setText(element, "");
  const { text, isLate, isToday } = describeDue(dueDate);
  setText(element, isLate && !isDone ? `${text}, overdue` : text);
  element.classList.toggle("late", isLate && !isDone);
  element.classList.toggle("today", isToday && !isDone);
}

export function isEditing(element) {
  return find(".editor", element) !== null;
}

/** @param typed values to show in place of the item's own, such as those of a refused write. */
export function openEditor(element, item, typed = {}) {
  if (isEditing(element)) return;
  const editor = fromTemplate("task-editor");
  element.append(editor);
  element.classList.add("editing");
  find("[data-action=edit]", element).setAttribute("aria-expanded", "true");
  for (const field of editable) {
    editor[field].value = shown(item, field);
    // What the field held when editing began: only what differs from it is sent.
    editor[field].dataset.original = editor[field].value;
    if (field in typed) editor[field].value = shown(typed, field);
  }
  for (const area of editor.querySelectorAll("textarea")) {
    area.addEventListener("input", () => fitHeight(area));
    fitHeight(area);
  }
  editor.body.focus();
  editor.body.setSelectionRange(editor.body.value.length, editor.body.value.length);
}

/** Says on the open editor what is wrong. */
export function complain(element, text) {
  const problem = find(".editor .problem", element);
  problem.hidden = !text;
  setText(problem, text);
}

/** Where the right to change a task goes while it is edited, what was typed stays, to be copied, until the right is back. */
export function setReadOnly(element, isReadOnly) {
  const editor = find(".editor", element);
  if (!editor || isReadOnly === editor.hasAttribute("data-read-only")) return;
  editor.toggleAttribute("data-read-only", isReadOnly);
  for (const field of [editor.body, editor.dueDate, editor.notes]) field.readOnly = isReadOnly;
  editor.priority.disabled = isReadOnly;
  for (const action of ["delete", "save"]) find(`[data-action=${action}]`, editor).hidden = isReadOnly;
  setText(find("[data-action=cancel]", editor), isReadOnly ? "Close" : "Cancel");
  complain(element, isReadOnly ? "You can no longer change this project. What you typed is not saved, but you can copy it from here." : "");
  // A control that is hidden or disabled can't keep the focus.
  if (find(":focus:is([hidden], :disabled)", editor)) editor.body.focus();
}

export function closeEditor(element) {
  const editor = find(".editor", element);
  if (!editor) return;
  editor.remove();
  element.classList.remove("editing");
  const body = find("[data-action=edit]", element);
  body.setAttribute("aria-expanded", "false");
  body.focus({ preventScroll: true });
}

/** The fields that the user changed, as `set` of an update. */
export function editedFields(element) {
  const editor = find(".editor", element);
  const set = {};
  for (const field of editable) {
    const { value, dataset } = editor[field];
    if (value === dataset.original || (field === "dueDate" && !editor[field].validity.valid)) continue;
    set[field] = field === "priority" ? Number(value) : field === "dueDate" ? dateOf(value) : field === "body" ? value.trim() : value;
  }
  return set;
}

/** Somebody else changed the task: fields that the user has not touched follow. */
function refreshEditor(element, item) {
  const editor = find(".editor", element);
  for (const field of editable) {
    const input = editor[field];
    const isTouched = input.value !== input.dataset.original;
    input.dataset.original = shown(item, field);
    if (!isTouched && input.value !== input.dataset.original) input.value = input.dataset.original;
  }
}

function shown(item, field) {
  if (field === "dueDate") return dayOf(item.dueDate);
  return String(item[field] ?? "");
}

function fitHeight(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, 360)}px`;
}

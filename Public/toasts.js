// Short messages that come and go by themselves.

import { ConnectionLost } from "./connection.js";
import { find, fromTemplate } from "./dom.js";

const shownFor = 7_000;

/** @param action `{label, run()}` for a button, such as to undo. */
export function showToast(text, { isProblem = false, action = null } = {}) {
  const toast = fromTemplate("toast");
  toast.setAttribute("role", isProblem ? "alert" : "status");
  toast.classList.toggle("problem", isProblem);
  const dismiss = () => toast.remove();
  find("[data-action=dismiss]", toast).addEventListener("click", dismiss);
  const act = find("[data-action=act]", toast);
  if (action) {
    act.hidden = false;
    act.textContent = action.label;
    act.addEventListener("click", () => {
      dismiss();
      action.run();
    });
  }
  const region = find("#toasts");
  region.append(toast);
  while (region.childElementCount > 4) region.firstElementChild.remove();
  // A live region speaks of what changes in it, so the text comes after it is there.
  requestAnimationFrame(() => (find(".text", toast).textContent = text));
  let timer = setTimeout(dismiss, shownFor);
  const pause = () => clearTimeout(timer);
  const resume = () => (timer = setTimeout(dismiss, shownFor));
  toast.addEventListener("pointerenter", pause);
  toast.addEventListener("focusin", pause);
  toast.addEventListener("pointerleave", resume);
  toast.addEventListener("focusout", resume);
}

/** The server refused something: its own words, made for people. */
export function showRefusal(error) {
  if (!(error instanceof ConnectionLost)) showToast(error.message, { isProblem: true });
}

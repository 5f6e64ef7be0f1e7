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
  raise(region);
  while (region.childElementCount > 4) region.firstElementChild.remove();
  // A live region speaks of what changes in it, so the text comes after it is there.
  requestAnimationFrame(() => (find(".text", toast).textContent = text));
  // Asked when it is due: of a pointer that was above a toast when it moved, no event tells that it has left.
  const expire = () => (toast.matches(":hover, :focus-within") ? setTimeout(expire, shownFor) : dismiss());
  setTimeout(expire, shownFor);
}

/** An open dialog would dim or hide what is outside of it, and let nobody click there; so the toasts go into it until it is closed. */
function raise(region) {
  const dialog = find("dialog:modal");
  const place = dialog ?? document.body;
  if (region.parentElement !== place) place.append(region);
  region.hidePopover?.();
  region.showPopover?.();
  dialog?.addEventListener("close", () => raise(region), { once: true });
}

/** The server refused something: its own words, made for people. */
export function showRefusal(error) {
  if (!(error instanceof ConnectionLost)) showToast(error.message, { isProblem: true });
}

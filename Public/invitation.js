// Invitation links: `#invite=CODE` behind the page's address.

import { showRefusal, showToast } from "./toasts.js";

/** What a link without a whole code says to whoever opens it. */
export const damage = "This invitation link is damaged: a part of it is missing. Please ask for it again, or copy all of it.";

/**
 * The invitation in the page's address: its code, "" where the link is damaged, null where there is none.
 *
 * Mails and chats put brackets, quotes and full stops around a link, some of them percent-encoded, and some encode the whole of it.
 * The code has 43 characters, so where it ends is known whatever stands behind it.
 */
export function invitationInAddress() {
  const text = location.hash.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  if (!/^#invite\b/.test(text)) return null;
  return /^#invite=[^\w-]*([\w-]{43})(?![0-9A-Za-z])/.exec(text)?.[1] ?? "";
}

/** Takes the invitation in the page's address and goes to its project; a lost connection leaves it there for later. */
export async function takeInvitation(session) {
  const code = invitationInAddress();
  if (code === null || (code && !session.isOnline)) return;
  let place = "#/";
  if (code) {
    try {
      const { projectId } = await session.call("invite.accept", { code });
      place = `#/projects/${projectId}`;
    } catch (error) {
      if (!session.isOnline) return;
      showRefusal(error);
    }
  } else {
    showToast(damage, { isProblem: true });
  }
  // The code is a secret: it does not stay in the history.
  if (invitationInAddress() === code) location.replace(place);
}

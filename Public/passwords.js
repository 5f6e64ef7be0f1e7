// Which passwords the server takes: it counts the bytes of UTF-8, of which a letter from A to Z has one and others have up to four.

const bytesLeast = 8;

/** What is wrong with a new password, in words for a person; null where it will do. `limits` are those of the server's `info`. */
export function faultOfPassword(password, limits) {
  const count = new TextEncoder().encode(password).length;
  const most = limits?.passwordBytes ?? Infinity;
  if (count < bytesLeast) return `The password is too short: it counts as ${count} characters, and at least ${bytesLeast} are needed.`;
  if (count > most) return `The password is too long: it counts as ${count} characters, and at most ${most} are taken.`;
  return null;
}

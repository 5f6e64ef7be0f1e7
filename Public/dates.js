// Due dates are days. The wire has instants, so a day is noon UTC: the same calendar day in every time zone but the last.

const day = 86_400_000;
const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const long = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** `2026-11-30` of a date on the wire. */
export function dayOf(date) {
  return date ? date.slice(0, 10) : "";
}

export function dateOf(dayText) {
  return dayText ? `${dayText}T12:00:00.000Z` : null;
}

/** The user's own day, as `dayOf` writes it. */
export function today(now = new Date()) {
  const pad = (number, width = 2) => String(number).padStart(width, "0");
  return `${pad(now.getFullYear(), 4)}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}

/** `{text, isLate}` for a due date. */
export function describeDue(date, now = today()) {
  const due = dayOf(date);
  const days = Math.round((Date.parse(due) - Date.parse(now)) / day);
  const near = { "-1": "Yesterday", 0: "Today", 1: "Tomorrow" }[days];
  const style = due.slice(0, 4) === now.slice(0, 4) ? short : long;
  return { text: near ?? style.format(new Date(due)), isLate: days < 0, isToday: days === 0 };
}

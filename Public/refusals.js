// What the server refused, in words for a person: it speaks of things by their ids, a person by their names.

import { excerpt } from "./dom.js";

const keys = { Project: "projectId", Item: "itemId" };

/** The error's message, with names for the ids of things that are in one of these lists. */
export function inWords({ message, data }, lists) {
  if (data.reason === "noSuchObject" && /^(changes\[\d+\]\.(id|object\.projectId)|projectId)$/.test(data.path)) {
    return "This is not here any more: it was deleted, or it is no longer shared with you.";
  }
  const shown = [...lists];
  return message.replace(/'([\w-]{1,64})'/g, (quoted, id) => {
    const name = nameOf(id, shown);
    return name ? `“${name}”` : quoted;
  });
}

function nameOf(id, lists) {
  for (const { query, objects } of lists) {
    const found = objects.find((object) => object[keys[query.class]] === id);
    if (found) return excerpt(found.name ?? found.body);
  }
  return null;
}

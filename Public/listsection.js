// A section of a view that shows one live list: heading with a count, spinner, empty text, rows, "Show more".

import { find, setText } from "./dom.js";
import { ListView } from "./listview.js";

export class ListSection {
  #session;
  #list;
  #root;
  #count;

  /** @param options as for `ListView`, with `count(list)` for the number in the heading. */
  constructor(session, stage, list, root, options) {
    this.#session = session;
    this.#list = list;
    this.#root = root;
    this.#count = options.count ?? (() => list.objects.length);
    find("[data-action=more]", root).addEventListener("click", () => this.#more());
    this.view = new ListView(stage, list, find(".rows", root), {
      ...options,
      changed: () => {
        this.update();
        options.changed?.();
      },
    });
    this.update();
  }

  update() {
    const { isComplete, failure, objects, query } = this.#list;
    const root = this.#root;
    root.dataset.state = isComplete ? "complete" : "pending";
    root.setAttribute("aria-busy", String(!isComplete));
    const loading = find(".loading", root);
    loading.hidden = isComplete;
    if (failure) loading.textContent = `This list can’t be shown. ${failure.message}`;
    find(".empty", root).hidden = !isComplete || objects.length > 0;
    find(".more", root).hidden = !isComplete || objects.length < query.limit;
    setText(find(".count", root), isComplete ? this.#count().toLocaleString() : "");
  }

  #more() {
    this.#session.resize(this.#list, this.#list.query.limit * 4);
  }
}

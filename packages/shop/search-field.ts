import { connectSearchBox } from "instantsearch.js/es/connectors";
import { searching } from "./services.ts";

const input = document.querySelector("#text") as HTMLInputElement;
const list = document.querySelector("#suggestions") as HTMLElement;

/** The search field as a widget of InstantSearch: searches while somebody types, and suggests how the text may go on. */
export const searchField = () => widget({});

const widget = connectSearchBox(({ query, refine }, isFirst) => {
  if (document.activeElement !== input) input.value = query;
  if (!isFirst) return;

  let asked = new AbortController();
  const show = (texts: readonly string[]) => {
    list.replaceChildren(...texts.map((text, at) => optionOf(text, at)));
    list.hidden = texts.length === 0;
    input.setAttribute("aria-expanded", String(texts.length > 0));
    input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    asked.abort();
    show([]);
  };
  const suggest = async (text: string) => {
    asked.abort();
    asked = new AbortController();
    if (text.trim() === "") return show([]);
    try {
      const { suggestions } = await searching.suggest({ index: "books", text, size: 6 }, { signal: asked.signal });
      show(suggestions.map((suggestion) => suggestion.text));
    } catch {
      // A later text is being completed, or the search itself tells what is wrong.
    }
  };
  const choose = (text: string) => {
    input.value = text;
    refine(text);
    close();
  };
  /** Moves the mark to the next suggestion, or the one before. */
  const mark = (step: number) => {
    const options = [...list.children];
    const at = options.findIndex((option) => option.ariaSelected === "true");
    const next = options[(at + step + options.length + (at < 0 && step < 0 ? 1 : 0)) % options.length];
    for (const option of options) option.ariaSelected = String(option === next);
    if (next) input.setAttribute("aria-activedescendant", next.id);
  };

  input.addEventListener("input", () => {
    refine(input.value);
    suggest(input.value);
  });
  input.addEventListener("keydown", (event) => {
    // Suggestions that are still on their way must not open after the search.
    if (event.key === "Enter" && list.hidden) choose(input.value);
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const marked = list.querySelector('[aria-selected="true"]');
    if (step) mark(step);
    else if (event.key === "Enter") choose(marked?.textContent ?? input.value);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  // Before the field loses the focus.
  list.addEventListener("mousedown", (event) => {
    const option = (event.target as Element).closest("li");
    if (option) choose(option.textContent ?? "");
    event.preventDefault();
  });
});

function optionOf(text: string, at: number): HTMLElement {
  const option = document.createElement("li");
  option.id = `suggestion-${at}`;
  option.role = "option";
  option.ariaSelected = "false";
  option.textContent = text;
  return option;
}

import { Relevance } from "@relevance/client";

declare global {
  interface ImportMeta {
    /** Inserted by the bundler; `deploy` and `relevance info --show` print the addresses and the key. */
    readonly env: Readonly<Record<"SEARCH_URL" | "RECOMMENDATION_URL" | "KEY", string>>;
  }
}

/** The search gateway. Everybody can read the key: it may send the page's own searches, and nothing else. */
export const searching = new Relevance({ url: import.meta.env.SEARCH_URL, key: import.meta.env.KEY, retries: 1 });

/** The recommendation service. The same key, for the page's own placements. */
export const recommending = new Relevance({
  url: import.meta.env.RECOMMENDATION_URL,
  key: import.meta.env.KEY,
  retries: 1,
});

/** The address of a book on the page. */
export const addressOf = (id: string) => `./#book=${id}`;

/** A price as the page shows it; nothing for a book without one. */
export const priced = (price: number | undefined) => (price === undefined ? "" : `€${price.toFixed(2)}`);

/** A book of the index, and of the list of a placement. */
export interface Book {
  id: string;
  title: string;
  author: string;
  /** The genre first. */
  categories: readonly string[];
}

/** Says in a place of the page what happened, and what to do. */
export function tell(place: Element | null, error: unknown): void {
  const [text, command] = explanationOf(error);
  place?.replaceChildren(text);
  if (place === null || command === undefined) return;
  const code = document.createElement("code");
  code.textContent = command;
  place.append(" ", code);
}

function explanationOf(error: unknown): [text: string, command?: string] {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === "not_trained") return ["Recommendations need a training. In another terminal, run", "make demo-train"];
  if (code === "forbidden") return [`The page's key was refused: ${message}`];
  if (name === "ConnectionError") return ["The service does not answer. Start it, then reload the page:", "make dev"];
  return [message ?? String(error)];
}

import { ownText } from "./own-text.ts";

interface Count {
  events: number;
}

/**
 * Counts how often each text was added. Counts are updated in place, so each text is looked up once instead of twice.
 */
export class Tally {
  readonly #counts = new Map<string, Count>();
  #text: string | undefined;
  #count: Count = { events: 0 };

  /** Counts a text. A text that repeats the previous one, as event types often do, needs no lookup. */
  add(text: string): void {
    if (text !== this.#text) {
      this.#text = text;
      this.#count = this.#find(text);
    }
    this.#count.events += 1;
  }

  entries(): [text: string, events: number][] {
    return [...this.#counts].map(([text, { events }]) => [text, events]);
  }

  #find(text: string): Count {
    const known = this.#counts.get(text);
    if (known) return known;
    const count = { events: 0 };
    this.#counts.set(ownText(text), count);
    return count;
  }
}

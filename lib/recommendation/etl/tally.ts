import { ownText } from "./own-text.ts";

interface Count {
  events: number;
}

/** How often each text was added. Counts are changed in place: a text is looked up once, not twice. */
export class Tally {
  readonly #counts = new Map<string, Count>();
  #text: string | undefined;
  #count: Count = { events: 0 };

  /** A text that follows itself, as types of events do, is not looked up at all. */
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

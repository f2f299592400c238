/** What the texts of one kind of book are put together from. */
export interface Genre {
  name: string;
  /** Other categories that books of this genre also carry. */
  related: readonly string[];
  /** Words of titles: `The <adjective> <noun>`, `<Noun> of <place>`. */
  adjectives: readonly string[];
  nouns: readonly string[];
  places: readonly string[];
  /** Sentences with `{slot}` marks; one of each list in this order makes a description. */
  openings: readonly string[];
  middles: readonly string[];
  closings: readonly string[];
  /** What the marks stand for; a list of more than a handful each, so that descriptions rarely repeat. */
  slots: Readonly<Record<string, readonly string[]>>;
}

/** Slots that every kind of story shares. */
export const TONES = {
  tone: ["tender", "darkly funny", "haunting", "fast-moving", "quiet", "sharp", "generous", "unsettling", "sweeping"],
  theme: [
    "family and forgiveness",
    "memory",
    "the price of ambition",
    "friendship",
    "courage",
    "grief and what follows it",
    "belonging",
    "the stories we tell ourselves",
    "loyalty",
    "freedom",
    "growing old",
    "second chances",
  ],
} as const;

/** What a book is about in two sentences, and a search for it that shares no telling word with them. */
export type Plot = readonly [text: string, asked: string];

/** The building blocks for the texts of one kind of book. */
export interface Genre {
  name: string;
  /** Other categories that books of this genre also carry. */
  related: readonly string[];
  /** Words for titles: `The <adjective> <noun>`, `<Noun> of <place>`. */
  adjectives: readonly string[];
  nouns: readonly string[];
  places: readonly string[];
  /** A description is a plot and, mostly, a closing sentence. Both have `{slot}` marks. */
  plots: readonly Plot[];
  closings: readonly string[];
  /** The values of each slot. Each list has enough entries that descriptions rarely repeat. */
  slots: Readonly<Record<string, readonly string[]>>;
}

/** Slots that all kinds of stories share. */
export const TONES = {
  tone: ["tender", "darkly funny", "haunting", "fast-moving", "quiet", "sharp", "generous", "unsettling", "sweeping"],
  theme: phrases(`family and forgiveness; memory; the price of ambition; friendship; courage;
    grief and what follows it; belonging; the stories we tell ourselves; loyalty; freedom; growing old; second chances`),
} as const;

/** Splits a text into its words. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Splits a text into phrases, which semicolons separate. */
export function phrases(text: string): string[] {
  return text.split(/;\s+/);
}

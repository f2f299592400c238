import { type Random, random } from "@relevance/demo-data/random.ts";

export interface TasteEvent {
  userId: string;
  itemId: string;
  timestamp: number;
  eventType: string;
  eventValue: number | null;
}

export interface TasteData {
  users: { userId: string; age: number; membership: string }[];
  items: { itemId: string; categories: string; price: number }[];
  /** In order of time. */
  events: TasteEvent[];
}

export interface TasteOptions {
  seed?: number;
  users?: number;
  items?: number;
  eventsPerUser?: number;
}

const GENRES = ["Comedy", "Drama", "Horror", "Romance", "Sci-Fi", "Thriller", "War", "Western"];
const START = 1_700_000_000;
const DAY = 86_400;

/**
 * Generates data like MovieLens: few items are very popular, users have hidden tastes for a few of eight genres, and
 * an item's published categories usually reveal its hidden genres. The same seed gives the same data.
 */
export function tasteData({ seed = 7, users = 300, items = 400, eventsPerUser = 20 }: TasteOptions = {}): TasteData {
  const numbers = random(seed);
  const hidden = Array.from({ length: items }, (_, item) => hiddenItem(numbers, item, items));
  const people = Array.from({ length: users }, (_, user) => ({
    userId: `u${user}`,
    age: numbers.between(16, 80),
    membership: numbers.pick(["basic", "gold"]),
  }));
  const events: TasteEvent[] = [];
  for (const { userId } of people) {
    const tastes = GENRES.map(() => Math.max(0, numbers.normal()) ** 2);
    const appeal = hidden.map(({ genres, popularity }) => popularity * Math.exp(1.2 * affinity(tastes, genres)));
    const count = Math.max(4, Math.round(eventsPerUser * (0.5 + numbers.next())));
    let time = START + numbers.between(0, 200 * DAY);
    for (const item of drawWithout(numbers, appeal, count)) {
      time += numbers.between(60, 3 * DAY);
      const eventType = numbers.next() < 0.2 ? "purchase" : "click";
      const eventValue = eventType === "purchase" ? numbers.between(1, 5) : null;
      events.push({ userId, itemId: `i${item}`, timestamp: time, eventType, eventValue });
    }
  }
  return {
    users: people,
    items: hidden.map(({ categories, price }, item) => ({ itemId: `i${item}`, categories, price })),
    events: events.sort((a, b) => a.timestamp - b.timestamp),
  };
}

function hiddenItem(numbers: Random, item: number, items: number) {
  const genres = numbers.sample(Array.from(GENRES.keys()), numbers.between(1, 2));
  const shown = genres.map((genre) => (numbers.next() < 0.8 ? genre : numbers.between(0, GENRES.length - 1)));
  return {
    genres,
    popularity: 1 / (1 + (10 * item) / items),
    categories: [...new Set(shown)].map((genre) => GENRES[genre]).join("|"),
    price: numbers.between(5, 60),
  };
}

function affinity(tastes: readonly number[], genres: readonly number[]): number {
  return genres.reduce((sum, genre) => sum + (tastes[genre] ?? 0), 0) / genres.length;
}

/** Draws distinct indices with chances by weight (Efraimidis and Spirakis: the largest of u^(1/w)). */
function drawWithout(numbers: Random, weights: readonly number[], count: number): number[] {
  // Insertion into a short sorted list is much faster than sorting all of some thousand items for each user.
  const drawn: { index: number; key: number }[] = [];
  for (const [index, weight] of weights.entries()) {
    const key = Math.log(1 - numbers.next()) / weight;
    if (drawn.length === count && key <= (drawn[count - 1]?.key ?? 0)) continue;
    let place = drawn.length;
    while (place > 0 && key > (drawn[place - 1]?.key ?? 0)) place -= 1;
    drawn.splice(place, 0, { index, key });
    drawn.length = Math.min(drawn.length, count);
  }
  return drawn.map(({ index }) => index).sort(() => numbers.next() - 0.5);
}

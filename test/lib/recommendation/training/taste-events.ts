import type { StoredEvent } from "../../../../lib/recommendation/records/layout.ts";
import { event } from "../etl/run.ts";

/** Events of users who each like one of four kinds of books: item number modulo 4 tells the kind. */
export function tasteEvents(users: number, perUser: number, change: Partial<StoredEvent> = {}): StoredEvent[] {
  return Array.from({ length: users * perUser }, (_, index) => {
    const user = index % users;
    const round = Math.floor(index / users);
    return event(`e${index}`, {
      USER_ID: `U${user}`,
      ITEM_ID: `B${((round * 7 + user) % 25) * 4 + (user % 4)}`,
      TIMESTAMP: 1_740_000_000 + index * 60,
      IMPRESSION: "B1|B2",
      ...change,
    });
  });
}

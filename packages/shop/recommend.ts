import { cover } from "./cover.ts";
import { addressOf, type Book, recommending, tell } from "./services.ts";

/** The browser, known by a random id that it keeps. A shop sends `user_id` for users who are signed in. */
export const visitor = kept("shop-visitor", () => `visitor-${Math.random().toString(36).slice(2)}`);

/** Titles of opened items by id, latest first. */
const session = new Map(
  keptList("shop-session").flatMap((pair) =>
    Array.isArray(pair) ? [[String(pair[0]), String(pair[1])] as const] : [],
  ),
);

/** Reports that the visitor opened a book. The next recommendations count it. */
export async function seen({ id, title }: Pick<Book, "id" | "title">): Promise<void> {
  const latest = [[id, title] as const, ...[...session].filter(([other]) => other !== id)].slice(0, 20);
  session.clear();
  for (const [other, name] of latest) session.set(other, name);
  keep("shop-session", JSON.stringify(latest));
  await report("view", [id]);
}

/** Reports what the visitor did with books. The next training learns from it. */
export async function report(EVENT_TYPE: "view" | "purchase", ids: readonly string[]): Promise<void> {
  const of = (id: string) => ({ EVENT_TYPE, ITEM_ID: id, EVENT_ID: `${visitor}-${Date.now()}-${id}` });
  await recommending.logEvent({ events: ids.map((id) => ({ ...of(id), USER_ID: visitor })) });
}

/** Fills a list of the page: books for the visitor, or books similar to one. Says what is wrong in place of the list. */
export async function recommend(place: "for-you" | "similar", item?: Pick<Book, "id">): Promise<void> {
  const section = document.querySelector(`#${place}`) as HTMLElement;
  const note = section.querySelector(".note") as HTMLElement;
  const row = section.querySelector(".row") as HTMLElement;
  try {
    const { response } = await recommending.recommendForPlacement({
      placement: `shop-${place}`,
      session_id: visitor,
      context: { session_item_ids: [...session.keys()], ...(item && { item_id: item.id }) },
      explain: true,
    });
    const causes = response.explanations?.flatMap(({ because_of = [] }) => because_of) ?? [];
    const because = causes.map((id) => session.get(id)).find((title) => title !== undefined);
    const reason = because ? `Because you looked at ${because}` : "What others read most";
    note.textContent = place === "for-you" ? reason : "";
    row.replaceChildren(...response.items.map((record) => cardOf(bookOf(record))));
  } catch (error) {
    tell(note, error);
    row.replaceChildren();
  }
  section.hidden = false;
}

/** Returns the record of a placement as a book. */
const bookOf = ({ ITEM_ID, TITLE, AUTHOR, CATEGORIES }: Readonly<Record<string, unknown>>): Book => ({
  id: String(ITEM_ID),
  title: String(TITLE),
  author: String(AUTHOR),
  categories: String(CATEGORIES).split("|"),
});

function cardOf(book: Book): HTMLElement {
  const card = document.createElement("li");
  card.innerHTML = `<a class="card"><img alt="" width="200" height="300"><strong></strong><span></span></a>`;
  const [link, image, title, author] = ["a", "img", "strong", "span"].map((tag) => card.querySelector(tag));
  link?.setAttribute("href", addressOf(book.id));
  image?.setAttribute("src", cover(book));
  title?.append(book.title);
  author?.append(book.author);
  return card;
}

/** Returns what the browser keeps under a name, or a new value. Without storage each visit is a new one. */
function kept(name: string, make: () => string): string {
  try {
    const found = localStorage.getItem(name);
    if (found !== null) return found;
  } catch {
    // The browser blocks storage, and the shop works without it.
  }
  const value = make();
  keep(name, value);
  return value;
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // As above: it is forgotten with the page.
  }
}

/** Returns a list that the browser keeps; an empty one if something else has written it. */
export function keptList(name: string): unknown[] {
  try {
    return [...JSON.parse(kept(name, () => "[]"))];
  } catch {
    return [];
  }
}

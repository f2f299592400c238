import { cover } from "./cover.ts";
import { recommend, seen } from "./recommend.ts";
import { type Book, searching, tell } from "./services.ts";

type Stored = Omit<Book, "id"> & { description: string; published: string };

/** Returns what opens a book: in a dialog, with similar books. `onSeen` runs once its view is reported. */
export function bookDialog(onSeen: () => void): (id: string) => Promise<void> {
  const dialog = document.querySelector("#book") as HTMLDialogElement;
  const part = (name: string) => dialog.querySelector(name) as HTMLElement;
  part(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());

  const show = async (id: string) => {
    const { search_response } = await searching.search<Stored>({
      ...{ index: "books", template: "shop_book", params: { ids: [id] }, is_logging_enable: false },
    });
    const [hit] = search_response.hits.hits;
    if (!hit) throw new Error("This book is not in the shop any more.");
    part(".problem").textContent = "";
    const { title, author, categories, description, published } = hit._source;
    part("#book-title").textContent = title;
    part(".by").textContent = `${author}, ${published.slice(0, 4)}`;
    part(".description").textContent = description;
    part(".tags").textContent = categories.join(" · ");
    const image = new Image(200, 300);
    image.src = cover(hit._source);
    image.alt = "";
    part(".picture").replaceChildren(image);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    part(".close").focus();
    // The visitor misses nothing if the view is lost.
    const reported = seen({ id, title }).catch(() => undefined);
    await recommend("similar", open, { id });
    await reported;
    onSeen();
  };
  // The page behind an open dialog cannot be read.
  const place = () => (dialog.open ? part(".problem") : document.querySelector("#problem"));
  const open = (id: string) => show(id).catch((error) => tell(place(), error));
  return open;
}

import type { BasketLine } from "./basket.ts";
import { cover } from "./cover.ts";
import { recommend, seen } from "./recommend.ts";
import { addressOf, type Book, priced, searching, tell } from "./services.ts";

interface Stored extends Omit<Book, "id"> {
  subtitle?: string;
  description: string;
  published: string;
  price: number;
  in_stock: boolean;
}

/**
 * Shows the book that the page's address names, in a dialog with similar books. `onSeen` runs once its view is reported, `add`
 * when the visitor puts it into the basket.
 */
export function bookDialog(onSeen: () => void, add: (line: BasketLine) => void): void {
  const dialog = document.querySelector("#book") as HTMLDialogElement;
  const part = (name: string) => dialog.querySelector(name) as HTMLElement;
  const buy = part(".buy") as HTMLButtonElement;
  part(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());

  const show = async (id: string) => {
    const { search_response } = await searching.search<Stored>({
      ...{ index: "books", template: "shop_book", params: { ids: [id] }, is_logging_enable: false },
    });
    const [hit] = search_response.hits.hits;
    if (!hit) throw new Error("This book is not in the shop any more.");
    part(".problem").textContent = "";
    const { title, subtitle = "", author, categories, description, published, price, in_stock } = hit._source;
    part("#book-title").textContent = title;
    part(".subtitle").textContent = subtitle;
    part(".by").textContent = `${author}, ${published.slice(0, 4)}`;
    part(".description").textContent = description;
    part(".tags").textContent = categories.join(" · ");
    part(".price").textContent = priced(price);
    buy.textContent = in_stock ? "Put into the basket" : "Out of stock";
    buy.disabled = !in_stock;
    buy.onclick = () => {
      add({ id, title, price });
      buy.textContent = "In the basket";
    };
    const image = new Image(200, 300);
    image.src = cover(hit._source);
    image.alt = "";
    part(".picture").replaceChildren(image);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    part(".close").focus();
    // The visitor misses nothing if the view is lost.
    const reported = seen({ id, title }).catch(() => undefined);
    await recommend("similar", { id });
    await reported;
    onSeen();
  };
  // The page behind an open dialog cannot be read.
  const place = () => (dialog.open ? part(".problem") : document.querySelector("#problem"));
  const showAddressed = () => {
    const [, id] = /^#book=(.+)$/.exec(location.hash) ?? [];
    if (id === undefined) dialog.close();
    else show(decodeURIComponent(id)).catch((error) => tell(place(), error));
  };

  // Changes the address without an event of its own: InstantSearch would search again.
  const go = (address: string) => history.pushState(history.state, "", address);
  document.addEventListener("click", (event) => {
    const { button, metaKey, ctrlKey, shiftKey } = event;
    const link = (event.target as Element).closest<HTMLAnchorElement>(`a[href^="${addressOf("")}"]`);
    // Other clicks open a tab, as of any link.
    if (!link || button !== 0 || metaKey || ctrlKey || shiftKey) return;
    event.preventDefault();
    go(link.hash);
    showAddressed();
  });
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#book=")) go(location.pathname + location.search);
  });
  addEventListener("popstate", showAddressed);
  showAddressed();
}

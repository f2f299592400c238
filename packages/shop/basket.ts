import type { InsightsClient } from "@relevance/instantsearch";
import { keep, keptList, report } from "./recommend.ts";
import { addressOf, priced } from "./services.ts";

/** A book in the basket. `queryID` is the search that it was found by. */
export interface BasketLine {
  id: string;
  title: string;
  price: number;
  queryID?: string | undefined;
}

/** The basket, which the browser keeps. Reports what is put into it and bought. Returns what puts a book into it. */
export function basket(insights: InsightsClient): (line: BasketLine) => void {
  const dialog = document.querySelector("#basket") as HTMLDialogElement;
  const part = (name: string) => dialog.querySelector(name) as HTMLElement;
  const button = document.querySelector("#open-basket") as HTMLButtonElement;
  let lines = (keptList("shop-basket") as BasketLine[]).filter(({ id, price }) => id && price >= 0);

  const render = (said = "") => {
    button.textContent = `Basket (${lines.length})`;
    keep("shop-basket", JSON.stringify(lines));
    part("ul").replaceChildren(...lines.map(rowOf));
    const total = lines.reduce((sum, { price }) => sum + price, 0);
    part(".total").textContent = lines.length > 0 ? `Together ${priced(total)}` : said || "The basket is empty.";
    (part(".buy") as HTMLButtonElement).hidden = lines.length === 0;
  };
  const rowOf = (line: BasketLine) => {
    const row = document.createElement("li");
    row.innerHTML = `<a></a><span></span><button aria-label="">×</button>`;
    const [link, price, remove] = ["a", "span", "button"].map((tag) => row.querySelector(tag) as HTMLElement);
    link?.append(line.title);
    link?.setAttribute("href", addressOf(line.id));
    link?.addEventListener("click", () => dialog.close());
    price?.append(priced(line.price));
    remove?.setAttribute("aria-label", `Take ${line.title} out`);
    remove?.addEventListener("click", () => {
      lines = lines.filter(({ id }) => id !== line.id);
      render();
      part(".close").focus();
    });
    return row;
  };
  /** Reports with the search of each book, so that judgments and reports count what was found by it. */
  const tell = (method: "addedToCartObjectIDs" | "purchasedObjectIDs", { id, queryID }: BasketLine) => {
    const index = { index: "books", eventName: "Basket", objectIDs: [id] };
    void (queryID ? insights(`${method}AfterSearch`, { ...index, queryID }) : insights(method, index));
  };

  button.addEventListener("click", () => dialog.showModal());
  part(".close").addEventListener("click", () => dialog.close());
  part(".buy").addEventListener("click", () => {
    for (const line of lines) tell("purchasedObjectIDs", line);
    report(
      "purchase",
      lines.map(({ id }) => id),
    ).catch(() => undefined);
    lines = [];
    render("Thank you. The next training knows what you bought.");
    part(".close").focus();
  });
  render();
  return (line) => {
    if (lines.some(({ id }) => id === line.id)) return;
    lines = [...lines, line];
    tell("addedToCartObjectIDs", line);
    render();
  };
}

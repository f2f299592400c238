import type { Degradation } from "../../platform/http/degradation.ts";
import { bodyWithText, NoPlaceForText } from "../queries/replace-text.ts";
import type { SearchBody } from "./named-template.ts";
import type { Running, SearchRequest, Source } from "./source.ts";

/** Returns the error of a search that cannot be made with the other text. */
export const noPlace = (template: string | null | undefined): NoPlaceForText => new NoPlaceForText(template);

/** Returns why the text of a rule is not searched for. */
export const textNotPlaced = (template: string | null | undefined): Degradation => ({
  ...{ stage: "rules", target: "search_response" },
  reason: new NoPlaceForText(template).message,
  effect: "the text of the request is searched for",
});

/** A text to search for instead of a search's own, `replaced`. */
interface OtherText {
  own: SearchBody;
  template: string | null | undefined;
  replaced: string | null | undefined;
  text: string;
}

/** Returns the body with another text in place of the request's; undefined if it has no place for it. */
export async function bodyForText<Request extends SearchRequest>(
  source: Pick<Source<Request>, "bodyOf" | "isEmbedded">,
  { services, call }: Running<Request>,
  { own, template, replaced, text }: OtherText,
): Promise<SearchBody | undefined> {
  const isEmbedded = source.isEmbedded(own);
  if (own.values) {
    const filled = await source.bodyOf(services.settings, call, template, text);
    return filled.hasText || isEmbedded ? filled : undefined;
  }
  const changed = bodyWithText(own.text, replaced ?? "", text);
  if (changed === undefined) return isEmbedded ? own : undefined;
  return { text: changed, parsed: JSON.parse(changed) };
}

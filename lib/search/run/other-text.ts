import type { Degradation } from "../../platform/http/degradation.ts";
import { bodyWithText, hasFullText, NoPlaceForText } from "../queries/replace-text.ts";
import type { SearchBody } from "./named-template.ts";
import type { Running, SearchRequest, Source } from "./source.ts";

/** Returns the error of a search that cannot be made with the other text. */
export const noPlace = (template: string | null | undefined): NoPlaceForText => new NoPlaceForText(template);

/** Returns why the text of a rule is not searched for, or in embeddings alone. */
export const textNotPlaced = (template: string | null | undefined, isEmbedded: boolean): Degradation => ({
  ...{ stage: "rules", target: "search_response" },
  reason: new NoPlaceForText(template).message,
  effect: isEmbedded ? "only embeddings have the text of the rule" : "the text of the request is searched for",
});

/** A text to search for instead of a search's own, `replaced`. */
interface OtherText {
  own: SearchBody;
  template: string | null | undefined;
  replaced: string | null | undefined;
  text: string;
}

/** A body with another text. */
interface OtherBody {
  body: SearchBody;
  /** Whether it has the text in embeddings, and other texts in its full-text queries. */
  isPartial: boolean;
}

/** Returns the body with another text in place of the request's; undefined if it has no place for it. */
export async function bodyForText<Request extends SearchRequest>(
  source: Pick<Source<Request>, "bodyOf" | "isEmbedded">,
  { settings, call }: Running<Request>,
  { own, template, replaced, text }: OtherText,
): Promise<OtherBody | undefined> {
  const isEmbedded = source.isEmbedded(own);
  if (own.values) {
    const filled = await source.bodyOf(settings, call, template, text);
    return filled.hasText || isEmbedded ? { body: filled, isPartial: false } : undefined;
  }
  const changed = bodyWithText(own.text, replaced ?? "", text);
  if (changed !== undefined) return { body: { text: changed, parsed: JSON.parse(changed) }, isPartial: false };
  return isEmbedded ? { body: own, isPartial: hasFullText(own.parsed.query) } : undefined;
}

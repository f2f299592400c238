import * as v from "valibot";
import { integer, mapping, section, text } from "./kinds.ts";

/** Stands for the list of texts in the description of a request, for the only text, and for the word of their kind. */
export const REQUEST_TOKENS = { texts: "[texts]", text: "[text]", inputType: "[input_type]" } as const;

/** Members of an answer, the first outermost; `[]` behind one stands for each entry of its list. */
const PATH = /^\w+(\[\])?(\.\w+(\[\])?)*$/;

/** How a model is spoken to that the gateway does not know. */
export const Protocol = section(
  {
    request: mapping(
      "The JSON of a request. `[texts]` stands for the list of texts, or `[text]` for one text with a `batch_size` of 1; `[input_type]` for a word of `input_types`.",
    ),
    answer: v.optional(
      text(
        PATH,
        "a path such as embeddings.float or data[].embedding",
        "Path of the vectors in the answer: of their list, of the vector of each entry of a list, or of the only vector. Default: the answer is the list.",
      ),
    ),
    batch_size: v.optional(integer(1, 1_000, "Most texts of a request."), 1),
    max_characters: v.optional(integer(1, 1_000_000, "Characters at which a text is cut, its prefix included."), 8_192),
    input_types: v.optional(
      section(
        {
          query: text(/^[^\0]{1,100}$/s, "a word", "For queries."),
          document: text(/^[^\0]{1,100}$/s, "a word", "For documents."),
        },
        "What `[input_type]` stands for.",
      ),
    ),
  },
  "Requests and answers of a model that is neither served by Text Embeddings Inference nor of Cohere or Amazon Titan.",
);
export type Protocol = v.InferOutput<typeof Protocol>;

/** Returns what is wrong with the description of a request, with the key that is to be changed. */
export function protocolProblems(protocol: Partial<Protocol>): Array<{ key: keyof Protocol; message: string }> {
  const { request, batch_size = 1 } = protocol;
  // An invalid one is reported already.
  if (!request) return [];
  const found = tokensIn(request);
  const count = (token: string) => found.filter((one) => one === token).length;
  const [lists, singles] = [count(REQUEST_TOKENS.texts), count(REQUEST_TOKENS.text)];
  const problems: Array<{ key: keyof Protocol; message: string }> = [];
  const add = (key: keyof Protocol, message: string) => problems.push({ key, message });
  if (lists + singles !== 1)
    add("request", `must have ${REQUEST_TOKENS.texts} or ${REQUEST_TOKENS.text} as a value, once`);
  if (singles > 0 && batch_size > 1) add("batch_size", `must be 1, since the request has ${REQUEST_TOKENS.text}`);
  const isTyped = count(REQUEST_TOKENS.inputType) > 0;
  const hasTypes = Object.hasOwn(protocol, "input_types");
  if (isTyped && !hasTypes) add("input_types", `is missing: the request has ${REQUEST_TOKENS.inputType}`);
  if (!isTyped && hasTypes) add("input_types", `has no effect: the request lacks ${REQUEST_TOKENS.inputType}`);
  return problems;
}

function tokensIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(tokensIn) : [];
}

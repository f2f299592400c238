import { isObject } from "../../platform/json/values.ts";
import type { ModelName } from "../../settings/embedding-models.ts";
import { type Protocol, REQUEST_TOKENS } from "../../settings/model-protocol.ts";
import { cutCharacters, jsonLiteral } from "./batches.ts";
import { readVectors } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./model-calls.ts";
import type { InputType, ModelClient } from "./model-client.ts";

/** The most bytes of texts in a request: below the 6 MiB of SageMaker, which is stricter than Bedrock. */
const MAX_BODY_BYTES = 5_000_000;

interface DescribedModel {
  model: ModelName;
  client: ModelClient;
  /** The endpoint, or the id of a model on Bedrock. */
  target: string;
  dimension: number;
  protocol: Protocol;
  prefixes: Readonly<Record<InputType, string>>;
}

/** Returns a model whose requests and answers are described in model.yaml, or by Bedrock's formats. */
export function describedModel({ model, client, target, dimension, protocol, prefixes }: DescribedModel): HostedModel {
  const { request, answer: path, batch_size, max_characters, input_types } = protocol;
  const frame = JSON.stringify(request);
  const body = (literals: readonly string[], input: InputType) =>
    Object.entries({
      [REQUEST_TOKENS.texts]: `[${literals.join(",")}]`,
      [REQUEST_TOKENS.text]: literals[0] ?? '""',
      [REQUEST_TOKENS.inputType]: JSON.stringify(input_types?.[input] ?? ""),
    })
      .reduce((parts, [token, json]) => parts.flatMap((part) => replaced(part, token, json)), [
        { open: frame },
      ] as Part[])
      .map((part) => ("open" in part ? part.open : part.json))
      .join("");
  return {
    model,
    limits: { texts: batch_size, bytes: MAX_BODY_BYTES },
    json: (text, input) => jsonLiteral(cutCharacters(prefixes[input] + text, max_characters)),
    body,
    invoke: (text, timeoutMs) => client.invoke(target, text, timeoutMs),
    parse: (answer, count) => readVectors(answer, count, dimension, (parsed) => vectorsAt(parsed, path)),
  };
}

/**
 * A part of a request: with tokens still to be replaced (`open`), or final JSON. A text may itself look like a token.
 */
type Part = { open: string } | { json: string };

function replaced(part: Part, token: string, json: string): Part[] {
  if (!("open" in part)) return [part];
  return part.open
    .split(JSON.stringify(token))
    .flatMap((open, at): Part[] => (at === 0 ? [{ open }] : [{ json }, { open }]));
}

/** Returns the vectors at a path of a parsed answer, or the placeholder that was put in place of them. */
function vectorsAt(answer: unknown, path: string | undefined): unknown[] {
  const steps = path?.split(".") ?? [];
  const found = steps.reduce<unknown[]>(
    (values, step) => {
      const isEach = step.endsWith("[]");
      const name = isEach ? step.slice(0, -2) : step;
      const members = values.map((value) =>
        isObject(value) && Object.hasOwn(value, name) ? value[name] : absent(path),
      );
      return isEach ? members.flatMap((member) => (Array.isArray(member) ? member : absent(path))) : members;
    },
    [answer],
  );
  if (path?.includes("[]")) return found;
  const [list] = found;
  if (!Array.isArray(list)) return absent(path);
  return typeof list[0] === "number" ? [list] : list;
}

function absent(path: string | undefined): never {
  throw new ModelAnswerError(`model answered without vectors at ${path ?? "the top"}`);
}

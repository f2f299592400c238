import type { Finding } from "../compare.ts";
import type { Answered } from "./native.ts";

/**
 * Compares a refusal of the gateway with that of the cluster. The raw backend passes it on as it is. An endpoint answers
 * a fault of the request with 4xx, even if the cluster calls it its own, and any other with 5xx; both with the cluster's
 * words.
 */
export function compareRefusals(native: Answered, got: Answered, isRaw: boolean): Finding[] {
  const same = isRaw ? native.status === got.status : fitsClass(native.status, got.status);
  const [wanted, shown] = [native, got].map(({ text }) => wordsIn(JSON.parse(text))) as [string[], string[]];
  const isTold = native.status !== 200 && shown.some((word) => wanted.includes(word));
  if (same && isTold) return [];
  const short = ({ status, text }: Answered) => `${status} ${text.slice(0, 600)}`;
  return [{ what: "refusal", expected: short(native), got: short(got) }];
}

const classOf = (status: number): number => Math.floor(status / 100);

const fitsClass = (native: number, got: number): boolean =>
  classOf(got) === classOf(native) || (classOf(native) === 5 && classOf(got) === 4);

/**
 * Returns every reason of an error, at any depth, or the type of the exception where the cluster gives no reason. Numbers
 * are replaced by "#": the reasons name the size of a page, and the oracle requests the whole list.
 */
function wordsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { reason, type } = value as { reason?: unknown; type?: unknown };
  const isNamed = reason === null || reason === NO_REASON;
  const own = isNamed ? type : reason;
  return [
    ...(typeof own === "string" && own !== "" ? [own.replaceAll(/\d+/g, "#")] : []),
    ...Object.values(value).flatMap(wordsIn),
  ];
}

/** What the gateway says in place of a reason that is null. */
const NO_REASON = "no reason given";

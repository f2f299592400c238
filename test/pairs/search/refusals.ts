import type { Finding } from "../compare.ts";
import type { Answered } from "./native.ts";

/**
 * Compares a refusal of the gateway with that of the cluster. The raw backend passes it on as it is. An endpoint answers
 * a fault of the request with 4xx, even if the cluster calls it its own, and any other with 5xx; both with the cluster's
 * words.
 */
export function compareRefusals(native: Answered, got: Answered, isRaw: boolean): Finding[] {
  const same = isRaw ? native.status === got.status : fitsClass(native.status, got.status);
  const wanted = reasonsIn(JSON.parse(native.text));
  const shown = reasonsIn(JSON.parse(got.text));
  const isTold = native.status !== 200 && shown.some((reason) => reason !== "" && wanted.includes(reason));
  if (same && isTold) return [];
  const short = ({ status, text }: Answered) => `${status} ${text.slice(0, 600)}`;
  return [{ what: "refusal", expected: short(native), got: short(got) }];
}

const classOf = (status: number): number => Math.floor(status / 100);

const fitsClass = (native: number, got: number): boolean =>
  classOf(got) === classOf(native) || (classOf(native) === 5 && classOf(got) === 4);

/** Returns every `reason` of an error, at any depth. */
function reasonsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === "reason" && typeof one === "string" ? [one] : reasonsIn(one),
  );
}

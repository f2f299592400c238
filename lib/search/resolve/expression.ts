import { matcher } from "../../platform/wildcard.ts";

/** A name in angle brackets without a date, which the cluster reads as the name itself. */
const BRACKETED = /^<([^{}<>\\]*)>$/;

/** Returns the name that one part of an index expression is: `goods` of `<goods>`. Date math with a date stays as it is. */
export const plainName = (part: string): string => BRACKETED.exec(part)?.[1] ?? part;

/** Returns an index expression without brackets that change nothing. */
export const plainExpression = (expression: string): string => expression.split(",").map(plainName).join(",");

/**
 * Returns the parts of an index expression as names, each once: without brackets that change nothing, and without
 * exclusions, which are not searched. What is compared by text is compared by these.
 */
export const namesIn = (expression: string): string[] => [
  ...new Set(expression.split(",").flatMap((part) => (part.startsWith("-") ? [] : [plainName(part)]))),
];

/** Returns whether an expression stands for a name: by itself, by a wildcard, or by the beginning of date math. */
export const standsFor = (expression: string, name: string): boolean =>
  namesIn(expression).some((part) => matcher(part.replace(/^<([^{]*)\{.*$/, "$1*"))(name));

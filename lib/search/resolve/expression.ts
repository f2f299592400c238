import { matcher } from "../../platform/wildcard.ts";

/** A name in angle brackets without a date, which the cluster reads as the name itself. */
const BRACKETED = /^<([^{}<>\\]*)>$/;

/** Returns the name in one part of an index expression: `goods` for `<goods>`. Date math stays unchanged. */
export const plainName = (part: string): string => BRACKETED.exec(part)?.[1] ?? part;

/** Returns an index expression without redundant brackets. */
export const plainExpression = (expression: string): string => expression.split(",").map(plainName).join(",");

/**
 * Returns the distinct names in an index expression: without redundant brackets, and without exclusions, which are not
 * searched. Used wherever names are compared as text.
 */
export const namesIn = (expression: string): string[] => [
  ...new Set(expression.split(",").flatMap((part) => (part.startsWith("-") ? [] : [plainName(part)]))),
];

/** Returns whether an expression matches a name: literally, by a wildcard, or by the literal prefix of date math. */
export const standsFor = (expression: string, name: string): boolean =>
  namesIn(expression).some((part) => matcher(part.replace(/^<([^{]*)\{.*$/, "$1*"))(name));

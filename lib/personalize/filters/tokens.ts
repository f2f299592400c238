import { FilterError } from "./filter-error.ts";

export interface Token {
  kind: "word" | "text" | "number" | "placeholder" | "operator" | "symbol" | "end";
  /** The token as written, but a text without its quotes and a placeholder without its dollar sign. */
  value: string;
  position: number;
}

const PATTERNS: readonly [Exclude<Token["kind"], "end">, RegExp][] = [
  ["text", /"([^"]*)"/y],
  ["number", /(-?\d+(?:\.\d+)?)(?![\w.])/y],
  ["placeholder", /\$(\w*)/y],
  ["word", /([A-Za-z_]\w*)/y],
  ["operator", /(<=|>=|!=|=|<|>)/y],
  ["symbol", /([(),.|])/y],
];

const WHITESPACE = /\s*/y;
const PLACEHOLDER_NAME = /^[A-Za-z0-9_]{1,50}$/;

/** Splits an expression into tokens; the last one is `end`. Throws `FilterError` for characters that start no token. */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let position = skipWhitespace(expression, 0);
  while (position < expression.length) {
    const { token, next } = readToken(expression, position);
    tokens.push(token);
    position = skipWhitespace(expression, next);
  }
  tokens.push({ kind: "end", value: "", position: expression.length });
  return tokens;
}

function skipWhitespace(expression: string, from: number): number {
  WHITESPACE.lastIndex = from;
  WHITESPACE.test(expression);
  return WHITESPACE.lastIndex;
}

function readToken(expression: string, position: number): { token: Token; next: number } {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = position;
    const value = pattern.exec(expression)?.[1];
    if (value === undefined) continue;
    const next = pattern.lastIndex;
    if (kind === "placeholder" && !PLACEHOLDER_NAME.test(value)) {
      throw new FilterError(
        `a placeholder is $ and 1 to 50 letters, digits or underscores, got "$${value.slice(0, 60)}"`,
        position,
      );
    }
    return { token: { kind, value, position }, next };
  }
  throw new FilterError(reasonFor(expression, position), position);
}

function reasonFor(expression: string, position: number): string {
  const found = expression[position] ?? "";
  if (found === '"') return "this text has no closing double quote";
  if (found === "'" || found === "“" || found === "”") return `texts are written in double quotes, got ${found}`;
  if (found === "*") return '"*" is written in double quotes, as in Interactions.EVENT_TYPE IN ("*")';
  if (/[\d-]/.test(found)) return "this is not a number";
  return `unexpected character ${JSON.stringify(found)}`;
}

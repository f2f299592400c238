/**
 * A filter that Personalize would reject, or that cannot be applied to a request. `position` is the offset of the error
 * in the expression, from 0; undefined if the error is not at one place, such as in the request's values.
 */
export class FilterError extends Error {
  override name = "FilterError";
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at position ${position + 1})`);
    this.position = position;
  }
}

interface Token {
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
function tokenize(expression: string): Token[] {
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

/** Returns a token as messages show it. */
export function shown(token: Token): string {
  return token.kind === "end" ? "the end of the expression" : JSON.stringify(token.value);
}

/** Reads the tokens of an expression one after another. Throws `FilterError` for a token that does not fit. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(expression: string) {
    this.#tokens = tokenize(expression);
  }

  peek(): Token {
    const token = this.#tokens[this.#index];
    if (!token) throw new RangeError("read past the end of a filter expression");
    return token;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#index += 1;
    return token;
  }

  expect(kind: Token["kind"], what: string): Token {
    const token = this.peek();
    if (token.kind !== kind) throw new FilterError(`expected ${what}, got ${shown(token)}`, token.position);
    return this.next();
  }

  takeWord(word: string): boolean {
    const { kind, value } = this.peek();
    if (kind !== "word" || value.toUpperCase() !== word.toUpperCase()) return false;
    this.next();
    return true;
  }

  expectWord<Word extends string>(...words: readonly Word[]): Word {
    for (const word of words) if (this.takeWord(word)) return word;
    const token = this.peek();
    throw new FilterError(`expected ${words.join(" or ")}, got ${shown(token)}`, token.position);
  }

  takeSymbol(symbol: string): boolean {
    const { kind, value } = this.peek();
    if (kind !== "symbol" || value !== symbol) return false;
    this.next();
    return true;
  }

  expectSymbol(symbol: string): void {
    const token = this.peek();
    if (!this.takeSymbol(symbol)) throw new FilterError(`expected "${symbol}", got ${shown(token)}`, token.position);
  }

  expectEnd(): void {
    const token = this.peek();
    if (token.kind !== "end") {
      throw new FilterError(`expected AND, OR, IF, "|" or the end, got ${shown(token)}`, token.position);
    }
  }
}

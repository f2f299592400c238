/**
 * The most characters that a regular expression may have once its repetitions are written out. The cluster builds an
 * automaton with a state for each; 10,000 is the default of its own `max_determinized_states`.
 */
const MAX_STATES = 10_000;

/**
 * The same for repeated parts that may match nothing. The automaton links each copy of such a part to every later one,
 * so that its size is the square of this.
 */
const MAX_OPTIONAL_STATES = 1_000;

/** A part of an expression: its size with repetitions written out, and whether it may match nothing. */
interface Part {
  size: number;
  optional: boolean;
}

/** A group that is still open. */
interface Group {
  /** The part before the last one. */
  before: Part;
  last: Part | undefined;
  /** Whether an alternative that has ended may match nothing. */
  optional: boolean;
  /** Whether `~` stands before the group. */
  negated: boolean;
}

/** Closing characters of a character class, a text in quotes and an interval, each of which the cluster takes as one part. */
const ENDS: Readonly<Record<string, string>> = { "[": "]", '"': '"', "<": ">" };

/**
 * Returns whether a regular expression of Lucene's syntax would need an automaton beyond {@link MAX_STATES} or
 * {@link MAX_OPTIONAL_STATES}. The cluster does not limit the second: `a*{100}{100}` ends the node with an
 * OutOfMemoryError. Takes time linear in the expression. Source: RegExp.toAutomaton and Operations.repeat of Lucene.
 */
export function isCostlyRegexp(expression: string): boolean {
  const open: Group[] = [];
  let group = groupOf(false);
  let negated = false;
  const unclosed = new Set<string>();
  for (let at = 0; at < expression.length; ) {
    const character = expression[at] as string;
    const { before, last } = group;
    if (before.size > MAX_STATES) return true;
    if (last && "*+?{".includes(character)) {
      const repeated = repetitionAt(expression, at);
      group.last = repeat(last, repeated);
      if (isTooLarge(group.last, last.optional && repeated.most > 1)) return true;
      at += repeated.length;
      continue;
    }
    if (character === "(") {
      open.push(group);
      group = groupOf(negated);
      negated = false;
    } else if (character === ")" && open.length > 0) {
      const closed = wholeOf(group);
      closed.optional ||= group.negated;
      group = open.pop() as Group;
      append(group, closed);
    } else if (character === "|" || character === "&") {
      const whole = wholeOf(group);
      group = { ...group, before: { size: whole.size, optional: true }, last: undefined, optional: whole.optional };
    } else if (character === "~") {
      negated = true;
    } else {
      const end = unclosed.has(character) ? at : endOfLeaf(expression, at);
      if (end === undefined) unclosed.add(character);
      const length = (end ?? at) + 1 - at;
      append(group, { size: character === '"' ? length : 1, optional: character === "@" || negated });
      negated = false;
      at += length;
      continue;
    }
    at += 1;
  }
  return [...open, group].reduce((size, one) => size + wholeOf(one).size, 0) > MAX_STATES;
}

/** Returns the position of the last character of a part without operators; undefined if its end is missing. */
function endOfLeaf(expression: string, start: number): number | undefined {
  const first = expression[start] as string;
  if (first === "\\") return start + 1;
  const last = ENDS[first];
  if (last === undefined) return start;
  for (let at = start + 1; at < expression.length; at += 1) {
    if (expression[at] === last) return at;
    if (expression[at] === "\\" && first === "[") at += 1;
  }
  return undefined;
}

const isTooLarge = ({ size }: Part, chained: boolean) => size > (chained ? MAX_OPTIONAL_STATES : MAX_STATES);

const groupOf = (negated: boolean): Group => ({
  before: { size: 0, optional: true },
  last: undefined,
  optional: false,
  negated,
});

function append(group: Group, part: Part): void {
  group.before = sequence(group);
  group.last = part;
}

const sequence = ({ before, last }: Group): Part => ({
  size: before.size + (last?.size ?? 0),
  optional: before.optional && (last?.optional ?? true),
});

function wholeOf(group: Group): Part {
  const { size, optional } = sequence(group);
  return { size: Math.max(1, size), optional: optional || group.optional };
}

interface Repetition {
  least: number;
  /** How often the repeated part is copied into the automaton. */
  most: number;
  /** Characters of the operator. */
  length: number;
}

function repetitionAt(expression: string, at: number): Repetition {
  if (expression[at] === "+") return { least: 1, most: 2, length: 1 };
  if (expression[at] !== "{") return { least: 0, most: 1, length: 1 };
  const min = digitsAt(expression, at + 1);
  let end = at + 1 + min.length;
  let max = min;
  if (expression[end] === ",") {
    max = digitsAt(expression, end + 1);
    end += 1 + max.length;
  }
  // The cluster refuses the expression.
  if (expression[end] !== "}") return { least: 1, most: 1, length: 1 };
  const least = Number(min);
  return { least, most: Math.max(1, max === "" ? least + 1 : Number(max), least), length: end + 1 - at };
}

function digitsAt(expression: string, start: number): string {
  let end = start;
  while ((expression[end] ?? "") >= "0" && (expression[end] ?? "") <= "9") end += 1;
  return expression.slice(start, end);
}

function repeat({ size, optional }: Part, { least, most }: Repetition): Part {
  return { size: Math.min(size * most, Number.MAX_SAFE_INTEGER), optional: optional || least === 0 };
}

/**
 * Returns whether a query string may hold a costly regular expression, which stands between two slashes. Takes the text
 * between any two neighbouring slashes as one, since only a parser knows which slashes stand in quotes.
 */
export function holdsCostlyRegexp(queryString: string): boolean {
  let slash = -1;
  for (let at = 0; at < queryString.length; at += 1) {
    if (queryString[at] === "\\") at += 1;
    else if (queryString[at] === "/") {
      if (slash !== -1 && isCostlyRegexp(queryString.slice(slash + 1, at))) return true;
      slash = at;
    }
  }
  return false;
}

/** The message about a costly expression, after the path of the text. */
export const COSTLY =
  `holds a regular expression that would take too much of the cluster's memory: with its repetitions written out it may have ` +
  `${MAX_STATES} characters, and ${MAX_OPTIONAL_STATES} in repeated parts that may match nothing, such as (a*){9}`;

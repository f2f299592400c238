/** The most characters of a pattern. */
const MAX_LENGTH = 1_000;

/** The most ways in which a pattern may be tried at one position of a text. */
const MAX_WAYS = 500;

/** The deepest nesting of groups. */
const MAX_GROUPS = 20;

/** A part of a pattern: how often it may be tried at one position, and whether it ends with an unlimited repetition. */
interface Part {
  ways: number;
  unlimited: boolean;
}

/** Thrown for a pattern that is not accepted. */
class NotLinear extends Error {}

/**
 * Returns whether java.util.regex matches a pattern in a time that grows no faster than the text. It backtracks, and a
 * repeated group also takes a stack frame for each repetition, so that a long text ends the node. Accepts a part of the
 * language that cannot do either: an unlimited repetition (`*`, `+`, `{2,}`) is of one character or class, and nothing
 * follows it; groups are not repeated.
 */
export function isLinearPattern(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH) return false;
  try {
    return new Reader(pattern).whole().ways <= MAX_WAYS;
  } catch (error) {
    if (error instanceof NotLinear) return false;
    throw error;
  }
}

/** The message about such a pattern, after its place. */
export const NOT_LINEAR =
  "is a pattern that can take very long: at most the last part may repeat without a limit, and groups may not repeat";

/** Escapes of one character or class, and of a place between two. */
const ESCAPE = /^\\(?:[^\p{L}\p{N}]|[wWsSdDhHvVtnrfebBAzZ]|[pP](?:\{\^?[\w=]+\}|[A-Z])|u[\da-fA-F]{4}|x[\da-fA-F]{2})/u;

const GROUP = /^\((?:\?(?:<[A-Za-z][A-Za-z\d]*>|:|>|(?<look><?[=!])))?(?!\?)/;

const REPETITION = /^(?:(?<mark>[*+?])|\{(?<least>\d{1,4})(?<range>,(?<most>\d{1,4})?)?\})[?+]?/;

class Reader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  whole(): Part {
    const part = this.alternatives(0);
    if (this.at < this.pattern.length) throw new NotLinear();
    return part;
  }

  private alternatives(depth: number): Part {
    if (depth > MAX_GROUPS) throw new NotLinear();
    const whole = this.sequence(depth);
    while (this.pattern[this.at] === "|") {
      this.at += 1;
      const next = this.sequence(depth);
      whole.ways += next.ways;
      whole.unlimited ||= next.unlimited;
    }
    return whole;
  }

  private sequence(depth: number): Part {
    const whole = { ways: 1, unlimited: false };
    while (this.at < this.pattern.length && !"|)".includes(this.pattern[this.at] as string)) {
      if (whole.unlimited) throw new NotLinear();
      const isGroup = this.pattern[this.at] === "(";
      const part = isGroup ? this.group(depth) : this.character();
      this.repeat(part, isGroup);
      whole.ways *= part.ways;
      whole.unlimited = part.unlimited;
      if (whole.ways > MAX_WAYS) throw new NotLinear();
    }
    return whole;
  }

  private group(depth: number): Part {
    const { look } = this.take(GROUP);
    const part = this.alternatives(depth + 1);
    this.take(/^\)/);
    // It is tried at every position.
    if (look !== undefined && part.unlimited) throw new NotLinear();
    return part;
  }

  private character(): Part {
    const first = this.pattern[this.at] as string;
    if (first === "\\") this.take(ESCAPE);
    else if (first === "[") this.characterClass();
    else if ("*+?{".includes(first)) throw new NotLinear();
    else this.at += 1;
    return { ways: 1, unlimited: false };
  }

  /** A class may hold others. An empty one, or an empty side of `&&`, would be read in another way. */
  private characterClass(): void {
    this.take(/^\[\^?(?!\])/);
    while (this.pattern[this.at] !== "]") {
      if (this.at >= this.pattern.length) throw new NotLinear();
      if (this.pattern[this.at] === "[") this.characterClass();
      else if (this.pattern[this.at] === "\\") this.take(ESCAPE);
      else if (this.pattern.startsWith("&&", this.at)) this.take(/^&&(?![\]&])/);
      else this.at += 1;
    }
    this.at += 1;
  }

  private repeat(part: Part, isGroup: boolean): void {
    const found = REPETITION.exec(this.pattern.slice(this.at));
    if (!found) return;
    this.at += found[0].length;
    const { mark, least = "0", range, most } = found.groups ?? {};
    if (mark === "?") {
      part.ways += 1;
      return;
    }
    if (isGroup) throw new NotLinear();
    if (mark !== undefined || (range !== undefined && most === undefined)) part.unlimited = true;
    part.ways *= Math.max(1, Number(least), Number(most ?? 0));
  }

  private take(expected: RegExp): Readonly<Record<string, string | undefined>> {
    const found = expected.exec(this.pattern.slice(this.at));
    if (!found) throw new NotLinear();
    this.at += found[0].length;
    return found.groups ?? {};
  }
}

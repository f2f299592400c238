/** Generates random JSON text from a seed: odd spacing, escapes, duplicate keys, numbers in every notation. */
export function randomJson(seed: number) {
  let state = seed;
  // The Mulberry32 generator.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const chance = (share: number) => next() < share;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const space = () => (chance(0.3) ? pick([" ", "\n", "\t", "\r\n", "  "]) : "");
  const list = (item: () => string) =>
    Array.from({ length: Math.floor(next() * 4) }, () => `${space()}${item()}${space()}`).join(",");

  const NUMBERS = ["0", "-1", "1.0", "9007199254740993", "1E3", "-0.5e-7", "123456789"];
  const PARTS = ["a", "b", '\\"', "\\\\", "\\u0041", "é", "{", "}", "[", "]", ",", ":", "\\n", "😀", "\\ud83d"];
  const KEYS = ["a", "b", "c", "\\u0061", 'q\\"', "a.b", ""];

  const string = () => `"${Array.from({ length: Math.floor(next() * 6) }, () => pick(PARTS)).join("")}"`;
  const member = (depth: number) => `"${pick(KEYS)}"${space()}:${space()}${value(depth)}`;
  const object = (depth = 0): string => `${space()}{${list(() => member(depth + 1)) || space()}}${space()}`;
  const array = (depth = 0): string => `${space()}[${list(() => value(depth + 1)) || space()}]${space()}`;
  const value = (depth = 0): string => {
    if (depth < 4 && chance(0.4)) return (chance(0.5) ? object(depth) : array(depth)).trim();
    return pick([string, () => pick(NUMBERS), () => pick(["true", "false", "null"])])();
  };
  return { object, array, value, chance };
}

/** Returns whether a name fits a pattern, in which `*` stands for any characters. */
export function fits(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  let at = start.length;
  const isInOrder = rest.every((piece) => {
    const found = name.indexOf(piece, at);
    at = found + piece.length;
    return found !== -1;
  });
  return name.startsWith(start) && isInOrder && name.endsWith(rest.at(-1) ?? "");
}

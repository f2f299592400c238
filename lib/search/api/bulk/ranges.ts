/** Returns positions, given in ascending order, as a short text: `0-119, 121`. */
export function ranges(positions: readonly number[]): string {
  const parts: string[] = [];
  let start: number | undefined;
  for (const [index, position] of positions.entries()) {
    start ??= position;
    if (positions[index + 1] === position + 1) continue;
    parts.push(start === position ? `${position}` : `${start}-${position}`);
    start = undefined;
  }
  return parts.join(", ");
}

/** A line of a difference. */
export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

const AROUND = 3;

/** Returns the changed lines with three lines around them. The change of an index's defaults is one block. */
export function diffOf(before: string, after: string): DiffLine[] {
  const [old, new_] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, new_.length) && old[start] === new_[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, new_.length) - start;
  while (end < most && old[old.length - 1 - end] === new_[new_.length - 1 - end]) end += 1;
  if (start === old.length && start === new_.length) return [];
  const lines = (kind: DiffLine["kind"], texts: readonly string[]) => texts.map((text): DiffLine => ({ kind, text }));
  return [
    ...lines("same", old.slice(Math.max(0, start - AROUND), start)),
    ...lines("removed", old.slice(start, old.length - end)),
    ...lines("added", new_.slice(start, new_.length - end)),
    ...lines("same", old.slice(old.length - end, old.length - end + AROUND)),
  ];
}

import { OPEN_BRACE } from "./characters.ts";
import { memberSlices, piecesWithMembers, withMembers } from "./slices.ts";

/**
 * Returns the object with the values at dotted paths replaced or added, in pieces that follow one another; changes are
 * JSON, as text or bytes. Follows the objects that the text has, also those with a dotted key, and adds missing ones.
 * Everything else keeps its bytes. Throws TypeError if something else than an object is on the way.
 */
export function piecesWithPaths<Json>(
  rawObject: string,
  changes: Readonly<Record<string, Json>>,
): Array<string | Json> {
  const paths = Object.entries(changes);
  if (paths.every(([path]) => !path.includes("."))) return piecesWithMembers(rawObject, changes);
  const members = memberSlices(rawObject);
  const isObject = (key: string) => rawObject.charCodeAt(members.get(key)?.start ?? -1) === OPEN_BRACE;
  const here: Record<string, Array<string | Json>> = {};
  const below: Record<string, Record<string, Json>> = {};
  for (const [path, json] of paths) {
    const heads = headsOf(path);
    const [head = path] = [...heads.filter(isObject), ...heads];
    if (head === path || members.has(path)) here[path] = [json];
    else below[head] = { ...below[head], [path.slice(head.length + 1)]: json };
  }
  for (const [head, inner] of Object.entries(below)) {
    const slice = members.get(head);
    here[head] = piecesWithPaths(slice ? rawObject.slice(slice.start, slice.end) : "{}", inner);
  }
  return piecesWithMembers(rawObject, here).flat() as Array<string | Json>;
}

/** Returns the object without the values at dotted paths. Everything else keeps its bytes. */
export function withoutPaths(rawObject: string, paths: readonly string[]): string {
  const members = memberSlices(rawObject);
  const changes: Record<string, string | undefined> = {};
  for (const path of paths) {
    if (members.has(path)) changes[path] = undefined;
    for (const head of headsOf(path)) {
      const slice = members.get(head);
      const inner = changes[head] ?? (slice && rawObject.slice(slice.start, slice.end));
      if (inner?.startsWith("{")) changes[head] = withoutPaths(inner, [path.slice(head.length + 1)]);
    }
  }
  return withMembers(rawObject, changes);
}

/** Returns the proper beginnings of a dotted path, the shortest first. */
function headsOf(path: string): string[] {
  const segments = path.split(".");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("."));
}

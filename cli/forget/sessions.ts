import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { listed, type ObjectStore, readText } from "../../lib/platform/aws/object-store.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { eachLine } from "./rewrite-lines.ts";

/** A stored line. */
export type Line = Readonly<Record<string, unknown>>;

/** Stored lines that name a user and a session. */
export interface SessionLines {
  prefix: string;
  user: string;
  session: string;
  /** Returns whether a line counts. */
  counts: (line: Line) => boolean;
  /** Returns whether its user is only the session of a visitor who was not known. */
  isAnonymous: (line: Line) => boolean;
}

/** Objects in memory at a time; Firehose writes at most 128 MB of text to one. */
const AT_ONCE = 4;

/** Returns the sessions that lines of these users name. */
export async function sessionsOf(objects: ObjectStore, lines: SessionLines, users: readonly string[]) {
  const found = new Set<string>();
  await eachOf(objects, lines, users, (line) => {
    const session = line[lines.session];
    if (typeof session === "string" && !users.includes(session)) found.add(session);
  });
  return found;
}

/** Returns which of these sessions are the user of a line: as a visitor who was not known, and as somebody known. */
export async function usersAmong(objects: ObjectStore, lines: SessionLines, sessions: ReadonlySet<string>) {
  const users = { anonymous: new Set<string>(), known: new Set<string>() };
  if (sessions.size === 0) return users;
  await eachOf(objects, lines, [...sessions], (line) => {
    users[lines.isAnonymous(line) ? "anonymous" : "known"].add(String(line[lines.user]));
  });
  return users;
}

async function eachOf(
  objects: ObjectStore,
  { prefix, user, counts }: SessionLines,
  ids: readonly string[],
  visit: (line: Line) => void,
): Promise<void> {
  const keys = (await listed(objects, prefix)).map(({ key }) => key);
  await concurrently(keys, AT_ONCE, async (key) => {
    const stream = await objects.read(key);
    if (!stream) return;
    eachLine(await buffer(stream), { namesOf: (line) => [line[user]], ids }, (line) => {
      if (typeof line[user] === "string" && counts(line)) visit(line);
    });
  });
}

/**
 * Returns sessions that an earlier run saved under a key, or finds and saves them: once lines are rewritten, they can no
 * longer be found.
 */
export async function savedSessions<Sessions>(
  objects: ObjectStore,
  key: string,
  schema: v.GenericSchema<Sessions>,
  find: () => Promise<Sessions>,
): Promise<Sessions> {
  const saved = await readText(objects, key);
  if (saved !== undefined) return v.parse(schema, parseJson(saved));
  const found = await find();
  await objects.write(key, JSON.stringify(found));
  return found;
}

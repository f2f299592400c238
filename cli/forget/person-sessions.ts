import * as v from "valibot";
import type { ObjectStore } from "../../lib/platform/aws/object-store.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { requestLogType } from "../../lib/platform/request-log/kinds.ts";
import { ANONYMOUS } from "../../lib/recommendation/records/layout.ts";
import { type SessionLines, savedSessions, sessionsOf, usersAmong } from "./sessions.ts";

/** Whose sessions to find, and where. */
interface Person {
  user: string;
  objects: ObjectStore;
  /** Absent without the recommendation service. */
  recommendation?: object;
}

/** Events, and which of their lines are of a visitor who was not known. */
export const EVENTS: SessionLines = {
  ...{ prefix: PREFIXES.events, user: "USER_ID", session: "SESSION_ID" },
  counts: () => true,
  isAnonymous: (line) => line[ANONYMOUS] === true,
};

/** A line of a visitor who was not known names the session as the user. */
export const LISTS: SessionLines = {
  ...{ prefix: PREFIXES.logs, user: "user_id", session: "session_id" },
  counts: ({ type }) => type === requestLogType("recommendation"),
  isAnonymous: ({ user_id, session_id }) => user_id === session_id,
};

const Ids = v.array(v.string());

const EventSessions = v.object({
  /** Sessions in which the person logged in. */
  all: Ids,
  /** Those of them that events name as a visitor who was not known. */
  anonymous: Ids,
  /** Those of them that are somebody's id, too. */
  known: Ids,
});

type EventSessions = v.InferOutput<typeof EventSessions>;

/** Returns the sessions in which the person logged in, by the events as they were before any was rewritten. */
export function eventSessions({ objects, user }: Person, person: string): Promise<EventSessions> {
  return savedSessions(objects, `${PREFIXES.forget}${person}.sessions.json`, EventSessions, async () => {
    const all = await sessionsOf(objects, EVENTS, [user]);
    const { anonymous, known } = await usersAmong(objects, EVENTS, all);
    return { all: [...all], anonymous: [...anonymous], known: [...known] };
  });
}

/** Sessions that were a user for training, and are nobody's id: deleting somebody else could not be undone. */
export const ownSessions = ({ anonymous, known }: EventSessions) =>
  anonymous.filter((session) => !known.includes(session));

/** Returns the sessions of the person in the request log, as it names them, without those that are somebody's id. */
export async function logSessions(work: Person, person: string, forms: (id: string) => readonly string[]) {
  const { objects, user, recommendation } = work;
  return savedSessions(objects, `${PREFIXES.forget}${person}.log-sessions.json`, Ids, async () => {
    const { all, known } = recommendation ? await eventSessions(work, person) : NONE;
    const ofEvents = all.filter((session) => !known.includes(session)).flatMap(forms);
    const found = new Set([...ofEvents, ...(await sessionsOf(objects, LISTS, forms(user)))]);
    const somebodys = (await usersAmong(objects, LISTS, found)).known;
    return [...found].filter((session) => !somebodys.has(session));
  });
}

const NONE: EventSessions = { all: [], anonymous: [], known: [] };

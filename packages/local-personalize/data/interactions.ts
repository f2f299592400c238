import type { Cell, LiveRow, Part } from "./rows.ts";

/** One interaction of a user with an item. */
export interface Interaction {
  userId: string;
  itemId: string;
  /** In seconds since the epoch. */
  timestamp: number;
  eventType: string | null;
  eventValue: number | null;
  /** When it arrived as an event, in milliseconds. Undefined for an imported row. */
  receivedAt?: number;
}

/**
 * The interactions of a dataset, from imported rows and events, without duplicates. A duplicate has the same timestamp
 * and identical properties. An event without a user belongs to the user of its session; until an event of the session
 * names the user, to the session itself. An import may already contain it under that user.
 */
export class Interactions {
  #seen = new Set<string>();
  #all: Interaction[] = [];
  #byUser = new Map<string, Interaction[]>();
  #anonymous = new Map<string, { row: LiveRow; interaction: Interaction | undefined }[]>();
  #userOfSession = new Map<string, string>();

  constructor(parts: readonly Part[], live: readonly LiveRow[]) {
    for (const { columns, rows } of parts) for (const row of rows) this.#addRow(columns, row);
    for (const row of live) this.addEvent(row);
  }

  /** Returns all interactions in order of arrival, including those of sessions without a user. */
  all(): readonly Interaction[] {
    return this.#all;
  }

  /** Returns a user's interactions, newest first. */
  ofUser(userId: string): readonly Interaction[] {
    const own = this.#byUser.get(userId) ?? [];
    return own.toSorted((a, b) => b.timestamp - a.timestamp);
  }

  addEvent(row: LiveRow): void {
    const session = row.session;
    if (row.values.USER_ID === undefined && session !== undefined) {
      const known = this.#userOfSession.get(session);
      const interaction = this.#addRecord({ ...row.values, USER_ID: known ?? session }, row.at);
      const waiting = this.#anonymous.get(session) ?? [];
      if (known === undefined) this.#anonymous.set(session, [...waiting, { row, interaction }]);
      return;
    }
    this.#addRecord(row.values, row.at);
    const userId = row.values.USER_ID;
    if (session === undefined || typeof userId !== "string") return;
    this.#userOfSession.set(session, userId);
    this.#claim(session, userId);
  }

  /** Moves the interactions that a session recorded before its user was known to that user. */
  #claim(session: string, userId: string): void {
    const rows = this.#anonymous.get(session);
    if (!rows || session === userId) return;
    this.#anonymous.delete(session);
    const moved = this.#byUser.get(session) ?? [];
    this.#byUser.delete(session);
    const keys = rows.map(({ row }) => keyOf({ ...row.values, USER_ID: userId }));
    const imported = new Set(
      rows.flatMap(({ interaction }, index) => (interaction && this.#seen.has(keys[index] ?? "") ? interaction : [])),
    );
    for (const key of keys) this.#seen.add(key);
    if (imported.size > 0) this.#all = this.#all.filter((interaction) => !imported.has(interaction));
    for (const interaction of moved) {
      if (imported.has(interaction)) continue;
      interaction.userId = userId;
      this.#listOf(userId).push(interaction);
    }
  }

  #addRow(columns: readonly string[], row: readonly Cell[]): void {
    const record: Record<string, Cell> = {};
    columns.forEach((column, index) => {
      record[column] = row[index] ?? null;
    });
    this.#addRecord(record);
  }

  /** Adds a row. Returns undefined for a duplicate. */
  #addRecord(record: Readonly<Record<string, Cell>>, receivedAt?: number): Interaction | undefined {
    const key = keyOf(record);
    if (this.#seen.has(key)) return undefined;
    this.#seen.add(key);
    const { USER_ID, ITEM_ID, TIMESTAMP, EVENT_TYPE, EVENT_VALUE } = record;
    const interaction: Interaction = {
      userId: String(USER_ID),
      itemId: String(ITEM_ID),
      timestamp: Number(TIMESTAMP),
      eventType: typeof EVENT_TYPE === "string" ? EVENT_TYPE : null,
      eventValue: typeof EVENT_VALUE === "number" ? EVENT_VALUE : null,
      ...(receivedAt !== undefined && { receivedAt }),
    };
    this.#all.push(interaction);
    this.#listOf(interaction.userId).push(interaction);
    return interaction;
  }

  #listOf(userId: string): Interaction[] {
    const known = this.#byUser.get(userId);
    if (known) return known;
    const list: Interaction[] = [];
    this.#byUser.set(userId, list);
    return list;
  }
}

/** Returns a key for duplicate detection: columns sorted by name, without nulls, so null and missing are the same. */
function keyOf(record: Readonly<Record<string, Cell>>): string {
  const filled = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return JSON.stringify(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

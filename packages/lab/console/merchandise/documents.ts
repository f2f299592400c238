import { signal } from "@preact/signals";
import type { ListedVersion } from "@relevance/lib/platform/aws/documents.ts";
import type { FileChange } from "../../server/merchandise.ts";
import type { RulesState, SynonymsState, VarietyState } from "../../server/merchandise-kinds.ts";
import { callConsole } from "../api.ts";
import { announce, setup } from "../state.ts";

/** A document's files and versions, from the server. */
type Known<State> = State & { versions: ListedVersion[]; problems: string[] };

interface Read<State> {
  value: Known<State> | null;
  isLoading: boolean;
  /** Whether a change is being put into use. It goes on if the place is left. */
  isApplying: boolean;
  /** Why it could not be read. */
  error: string;
  /** Result of the last change, kept while the user visits another view. */
  outcome: Outcome;
}

interface Outcome {
  said: string;
  problem: string;
}

const NO_OUTCOME: Outcome = { said: "", problem: "" };
const UNREAD = { value: null, isLoading: false, isApplying: false, error: "", outcome: NO_OUTCOME };

/** Latest data of each document. */
export const documents = {
  rules: signal<Read<RulesState>>(UNREAD),
  synonyms: signal<Read<SynonymsState>>(UNREAD),
  variety: signal<Read<VarietyState>>(UNREAD),
};
export type DocumentName = keyof typeof documents;

/** Reads what is in use. */
export async function readDocument(name: DocumentName): Promise<void> {
  const found = documents[name] as typeof documents.rules;
  found.value = { ...found.value, isLoading: true };
  try {
    const value = await callConsole<Known<RulesState>>("GET", `/api/${name}`);
    found.value = { ...found.value, value, isLoading: false, error: "" };
  } catch (error) {
    found.value = { ...found.value, isLoading: false, error: (error as Error).message };
  }
}

/** Forgets what became of the last change. */
export function forgetOutcome(name: DocumentName): void {
  const found = documents[name] as typeof documents.rules;
  found.value = { ...found.value, outcome: NO_OUTCOME };
}

/** Asks what a change makes of its file, and what the linter says. */
export function checkChange(name: DocumentName, change: unknown): Promise<FileChange> {
  forgetOutcome(name);
  return callConsole("POST", `/api/${name}/check`, { change });
}

/**
 * Applies a change and reloads the document; returns whether it succeeded, with details in the document's `outcome`.
 */
export async function applyChange(name: DocumentName, change: unknown, version: string): Promise<boolean> {
  const found = documents[name] as typeof documents.rules;
  const sent = { change, version, seen: found.value.value?.versions[0]?.version ?? 0 };
  found.value = { ...found.value, isApplying: true, outcome: NO_OUTCOME };
  let applied: { version: number | null };
  try {
    applied = await callConsole("POST", `/api/${name}/apply`, sent);
  } catch (error) {
    ended(name, { problem: (error as Error).message });
    return false;
  }
  await readDocument(name);
  const command = setup.value?.local ? "Restart `make dev`" : "Run `relevance deploy`";
  ended(name, {
    said:
      applied.version === null
        ? `It is written. ${command} to use it.`
        : `Version ${applied.version} is in use within a minute.`,
  });
  return true;
}

/** Brings an earlier version back, and reads again. */
export async function revertTo(name: DocumentName, version: number): Promise<void> {
  forgetOutcome(name);
  const applied = await callConsole<{ version: number }>("POST", `/api/${name}/revert`, { version });
  ended(name, {
    said: `Version ${applied.version}, with the content of version ${version}, is in use within a minute.`,
  });
  await readDocument(name);
}

function ended(name: DocumentName, outcome: Partial<Outcome>): void {
  const found = documents[name] as typeof documents.rules;
  found.value = { ...found.value, isApplying: false, outcome: { ...NO_OUTCOME, ...outcome } };
  announce(outcome.said ?? `It is not in use: ${outcome.problem}`);
}

import { computed, signal } from "@preact/signals";
import { documentsFor, type JudgingTask, nextQuery } from "../../judgments/task.ts";
import { callConsole } from "../api.ts";
import { announce, goTo, place } from "../state.ts";
import { judgmentsAboutIndex } from "./judgments.ts";
import { rater } from "./rater.ts";

/** All tasks, without their queries. */
export const tasks = signal<Omit<JudgingTask, "queries">[]>([]);
/** The task that was read for the place. */
export const task = signal<{ value: JudgingTask | null; error: string }>({ value: null, error: "" });

const show = (value: JudgingTask | null, error = "") => {
  task.value = { value, error };
};

/** The task of the place, if the place is about the index and the file of the task. */
export const current = computed(() => {
  const [{ value }, { task: name, index, judgments }] = [task.value, place.value];
  return value?.name === name && value.index === index && value.judgments === judgments ? value : null;
});

/** Queries by the name of their task that this browser could not open. */
const stuckIn = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

/** The queries of the task that could not be opened. */
export const stuck = computed(() => {
  const tried = stuckIn.value.get(place.value.task) ?? new Set<string>();
  return new Set(
    current.value?.queries.flatMap(({ query, documents }) => (documents || !tried.has(query) ? [] : [query])),
  );
});

/** Leaves a query of a task to others, or until later. */
export function skip({ name }: JudgingTask, query: string): void {
  const tried = stuckIn.value.get(name);
  if (!tried?.has(query)) stuckIn.value = new Map([...stuckIn.value, [name, new Set([...(tried ?? []), query])]]);
}

/** Reads the list of tasks, and the task of the place. */
export async function readTasks(name: string): Promise<void> {
  try {
    const [{ tasks: found }, value] = await Promise.all([
      callConsole<{ tasks: typeof tasks.value }>("GET", "/api/tasks"),
      name === "" ? null : callConsole<JudgingTask>("GET", `/api/task?name=${encodeURIComponent(name)}`),
    ]);
    tasks.value = found;
    if (place.value.task === name) show(value);
  } catch (error) {
    if (place.value.task === name) show(null, (error as Error).message);
  }
}

/** Creates a task about the index of the place, and goes to it. Returns what is wrong; empty if nothing is. */
export async function createTask(
  sent: Pick<JudgingTask, "name" | "depth" | "raters"> & { queries: readonly string[] },
) {
  const { index, judgments } = place.value;
  try {
    const value = await callConsole<JudgingTask>("POST", "/api/tasks", { ...sent, index, judgments });
    show(value);
    announce(`${value.queries.length} queries to judge`);
    goTo({ view: "judge", task: value.name, query: "" });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Notes what is to be judged for a query of the task. */
export async function openQuery(opened: JudgingTask, query: string, documents: readonly string[]): Promise<void> {
  const { name } = opened;
  const path = `/api/task/documents?name=${encodeURIComponent(name)}`;
  const isShown = () => task.value.value?.name === name;
  try {
    const value = await callConsole<JudgingTask>("POST", path, { query, documents });
    if (isShown()) show(value);
  } catch (error) {
    skip(opened, query);
    if (isShown()) show(task.value.value, (error as Error).message);
  }
}

/** The query of the task that the place is at; undefined without a task, or at another text. */
export const taskQuery = computed(() => current.value?.queries.find(({ query }) => query === place.value.query));

/** Judgments of this browser's rater for the task's query. */
export const ownDocuments = computed(() => {
  const [value, query] = [current.value, taskQuery.value];
  return value && query ? documentsFor(rater.value, query, value, judgmentsAboutIndex()) : [];
});

/** The first query of the task with something to judge for this browser's rater. */
export const next = computed(() =>
  current.value && rater.value !== ""
    ? nextQuery(current.value, rater.value, judgmentsAboutIndex(), stuck.value)
    : undefined,
);

import { existsSync, readFileSync } from "node:fs";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import * as v from "valibot";
import type { JudgingTask } from "../judgments/task.ts";
import { namedFile, namesIn } from "./judgment-files.ts";
import { locked } from "./lock.ts";
import { ConsoleError, fitting } from "./problem.ts";

const Text = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(2_000));
const Count = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A task as the page sends it. */
export const SentTask = v.strictObject({
  name: v.string(),
  judgments: v.string(),
  index: v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(255)),
  depth: v.pipe(Count, v.maxValue(10)),
  raters: v.pipe(Count, v.maxValue(20)),
  queries: v.pipe(v.array(Text), v.minLength(1), v.maxLength(2_000)),
});

/** A task as it is stored, whatever the name in it: a copy of the file is a task of its own. */
const StoredTask = v.object({
  ...v.omit(SentTask, ["name"]).entries,
  queries: v.array(v.object({ query: v.string(), documents: v.optional(v.array(v.string())) })),
});

/** The documents of a query, when somebody opens it first. */
export const SentDocuments = v.strictObject({
  query: Text,
  documents: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(512))), v.maxLength(200)),
});

export interface Tasks {
  list(): Omit<JudgingTask, "queries">[];
  read(name: string): JudgingTask;
  /** Creates a task. Throws ConsoleError if there is one of its name. */
  create(sent: v.InferOutput<typeof SentTask>): JudgingTask;
  /** Notes the documents of a query, unless somebody was faster. */
  open(name: string, sent: v.InferOutput<typeof SentDocuments>): JudgingTask;
}

/** Returns the tasks of a folder: a file of JSON each. */
export function judgingTasks(folder: string): Tasks {
  const file = (name: string) => namedFile(folder, name, ".json");
  const read = (name: string): JudgingTask => {
    if (!existsSync(file(name))) throw new ConsoleError(404, "not_found", `There is no task ${name}`);
    const stored = v.safeParse(v.pipe(v.string(), v.parseJson(), StoredTask), readFileSync(file(name), "utf8"));
    if (stored.success) return { ...stored.output, name };
    throw new ConsoleError(409, "unreadable_task", `${file(name)} is not a task: ${v.summarize(stored.issues)}`);
  };
  const write = (task: JudgingTask) => {
    replaceFile(file(task.name), `${JSON.stringify(task, undefined, 2)}\n`);
    return task;
  };
  return {
    list: () =>
      namesIn(folder, ".json").flatMap((name) =>
        fitting(() => {
          const { queries: _, ...task } = read(name);
          return task;
        }),
      ),
    read,
    create({ queries, ...task }) {
      namedFile(folder, task.judgments, ".csv");
      return locked(file(task.name), () => {
        if (existsSync(file(task.name))) {
          throw new ConsoleError(409, "exists", `There is a task ${task.name} already: choose another name`);
        }
        return write({ ...task, queries: [...new Set(queries)].map((query) => ({ query })) });
      });
    },
    open(name, { query, documents }) {
      return locked(file(name), () => {
        const task = read(name);
        const place = task.queries.findIndex((one) => one.query === query);
        if (place < 0)
          throw new ConsoleError(404, "not_found", `The task ${name} has no query ${JSON.stringify(query)}`);
        if (task.queries[place]?.documents) return task;
        return write({ ...task, queries: task.queries.with(place, { query, documents: [...new Set(documents)] }) });
      });
    },
  };
}

import { forbidden, type KeyRules } from "../../platform/http/access.ts";
import { ApiError } from "../../platform/http/error.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { shown } from "../access/names.ts";
import { readCall } from "../opensearch/calls.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { tasks } from "../opensearch/requests.ts";

/**
 * Long calls run as tasks of the cluster (`wait_for_completion=false`). A limited key may watch and cancel the tasks
 * that it has started. The cluster stores the `x-opaque-id` of a call with its task, even after its end, so the gateway
 * puts the key's name into it, and needs no storage of its own.
 */

/** Returns whether a call starts a task without waiting for its end. */
export const startsTask = (parameters: ReadonlyArray<readonly [name: string, value: string]>): boolean =>
  parameters.some(([name, value]) => name === "wait_for_completion" && value === "false");

/** Returns the `x-opaque-id` for a limited key's call that starts a task: the key's name, then the caller's own id. */
export const taskOwner = ({ name }: KeyRules, own: string | undefined): string =>
  own === undefined ? ownerOf(name) : `${ownerOf(name)};${own}`;

const ownerOf = (name: string) => `relevance-key=${name}`;

const STARTING = new Set(["_reindex", "_update_by_query", "_delete_by_query"]);

/** Returns the task that a call is about: `_tasks/<id>`, `_tasks/<id>/_cancel` or `_reindex/<id>/_rethrottle`. */
export function taskOf([first = "", id, last]: readonly string[]): string | undefined {
  return first === "_tasks" || (STARTING.has(first) && last === "_rethrottle") ? id : undefined;
}

/** A task: its node and its number there. */
const TASK_ID = /^[\w-]{1,64}:\d{1,19}$/;

/**
 * Throws `forbidden` unless the key has started the task. This is the only access decision that calls the cluster,
 * because only the task contains its owner.
 */
export async function requireOwnTask(cluster: Cluster, key: KeyRules, id: string, deadline: Deadline): Promise<void> {
  if (TASK_ID.test(id)) {
    const request = tasks.get({ task_id: id, filter_path: "task.headers" });
    const { status, body } = await readCall(cluster, request, deadline);
    if (status === 429 || status >= 500) {
      throw new ApiError("upstream_unavailable", "The search cluster cannot say now who has started the task.", {
        cause: `status ${status}`,
      });
    }
    const { task } = (status === 200 ? parseJson(body) : {}) as { task?: { headers?: Record<string, unknown> } };
    const owner = isObject(task?.headers) ? task.headers["X-Opaque-Id"] : undefined;
    if (typeof owner === "string" && owner.split(";", 1)[0] === ownerOf(key.name)) return;
  }
  throw forbidden(key, "task", `it has started no task ${shown(id)}`);
}

/** One cause of an error answer, in the cluster's words. */
export interface ClusterError {
  type: string;
  reason: string;
}

/** Returns the root causes of an error answer, or the innermost `caused_by` when there are none. Never empty. */
export function clusterErrors(body: unknown): readonly [ClusterError, ...ClusterError[]] {
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error === "string") return [{ type: "error", reason: error }];
  const { root_cause, caused_by, type, reason } = (error ?? {}) as Record<string, unknown>;
  const roots: unknown[] = Array.isArray(root_cause) ? root_cause : [];
  const [first = innermost(caused_by) ?? { type, reason }, ...others] = roots;
  return [readCause(first), ...others.map(readCause)];
}

/** Returns the first cause of an error answer. */
export function clusterError(body: unknown): ClusterError {
  return clusterErrors(body)[0];
}

function readCause(cause: unknown): ClusterError {
  const { type, reason } = (cause ?? {}) as Partial<ClusterError>;
  return { type: String(type ?? "unknown"), reason: String(reason ?? "no reason given") };
}

function innermost(cause: unknown): unknown {
  const deeper = (cause as { caused_by?: unknown } | undefined)?.caused_by;
  return deeper === undefined ? cause : innermost(deeper);
}

import type { Check } from "./drafts.ts";

/** Checks that events are kept longer than training reads back. */
export const checkRetention: Check = ({ project }, report) => {
  const kept = project?.personalize?.event_retention_days;
  const read = project?.personalize?.log_lookback_days;
  if (kept === undefined || read === undefined || kept > read) return;
  const message = `must be more than log_lookback_days (${read}), got ${kept}: training reads events that old`;
  report("project", ["personalize", "event_retention_days"], message);
};

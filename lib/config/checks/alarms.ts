import { ALARMS } from "../alarms.ts";
import { nearest } from "../nearest.ts";
import type { Check } from "./drafts.ts";

/** Checks that `alarms.rules` names existing alarms. */
export const checkAlarms: Check = ({ project }, report) => {
  for (const name of Object.keys(project?.alarms?.rules ?? {})) {
    if (Object.hasOwn(ALARMS, name)) continue;
    const close = nearest(name, Object.keys(ALARMS));
    const advice = close === undefined ? "docs/guides/monitoring.md lists them" : `did you mean "${close}"?`;
    report("project", ["alarms", "rules", name], `is not an alarm: ${advice}`);
  }
};

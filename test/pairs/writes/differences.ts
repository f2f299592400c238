import type { WriteRow } from "./dimensions.ts";

/** A difference that is known, and why it is there. */
export interface KnownFault {
  what: RegExp;
  reason: string;
  when: (row: WriteRow) => boolean;
}

/** The differences that a write may have. What `degraded` tells of missing embeddings is part of the oracle. */
export const WRITE_DIFFERENCES: readonly KnownFault[] = [
  {
    what: /^stored\.0\.doc\.(stamp|text)$/,
    reason: "the cluster runs no pipeline of an index that a write names by date math (2.19.6, 3.6.0)",
    when: ({ form, pipeline }) => form === "date-math" && pipeline !== "none",
  },
  {
    what: /./,
    reason: "fault 10 of issue 33: null inside an array of a source field rejects the document",
    when: ({ fields, entry, op }) => fields === "null-in-array" && entry !== "none" && op !== "delete",
  },
  {
    what: /./,
    reason: "fault 13 of issue 33: an update by a dotted key embeds without the name that is stored already",
    when: ({ fields, entry, op }) => fields === "dotted" && entry !== "none" && (op === "update" || op === "upsert"),
  },
];

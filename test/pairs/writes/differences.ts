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
    what: /^stored\.0\.doc\.(stamp|text)$/,
    reason:
      "an update whose embedding needs the stored document carries its version, with which the cluster takes no " +
      "doc_as_upsert; of updates it runs pipelines for upserts alone (2.19.6, 3.6.0)",
    when: ({ op, before, fields, entry, pipeline }) =>
      op === "upsert" && before === "present" && fields !== "none" && entry !== "none" && pipeline !== "none",
  },
];

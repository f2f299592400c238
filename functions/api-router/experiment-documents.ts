import * as v from "valibot";

/** The experiment that a search takes part in. */
export const AssignedVariant = v.object({
  name: v.pipe(v.string(), v.description("Name of the experiment.")),
  variant: v.pipe(v.string(), v.description("Name of the variant; `interleaved` if the hits are those of two.")),
  teams: v.optional(
    v.pipe(
      v.array(v.nullable(v.string())),
      v.description("Of interleaved hits: the variant that each hit of the page counts for; null for none."),
    ),
  ),
});

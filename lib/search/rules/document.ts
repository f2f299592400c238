import * as v from "valibot";
import { type Rule, RulesSchema } from "../../config/rules.ts";

/** Returns the rules of a document, with the defaults of this version. Throws if it is not one of rules. */
export const parseRules = (content: unknown): readonly Rule[] => v.parse(RulesSchema, content).rules ?? [];

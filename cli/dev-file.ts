import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../lib/platform/failure.ts";

/** The file in which `make dev` records its endpoints. */
const DEV_FILE = join(".local", "dev.json");

const Api = v.looseObject({ url: v.pipe(v.string(), v.url()), api_key: v.string() });

const DevFile = v.looseObject({
  aws: v.looseObject({ endpoint: v.pipe(v.string(), v.url()) }),
  search: Api,
  recommendation: v.optional(Api),
});
export type DevFile = v.InferOutput<typeof DevFile>;

/** Reads where the local stack is. Throws Failure if it is not running. */
export function readDevFile(): DevFile {
  try {
    const parsed = v.safeParse(DevFile, JSON.parse(readFileSync(DEV_FILE, "utf8")));
    if (parsed.success) return parsed.output;
    throw new Failure(`${DEV_FILE} is not what \`make dev\` writes: stop it, and start it again`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new Failure(`The local stack is not running (there is no ${DEV_FILE}): start it with \`make dev\``, {
        cause: error,
      });
    }
    throw error;
  }
}

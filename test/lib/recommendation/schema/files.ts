import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Constants } from "../../../../lib/recommendation/schema/constants.ts";
import { generateSchemas } from "../../../../lib/recommendation/schema/generate.ts";
import { SampleError } from "../../../../lib/recommendation/schema/row.ts";
import { type FileFormat, PLAIN_FILES } from "../../../../lib/settings/etl.ts";

const USERS = "USER_ID,GENDER\nU1,F\nU2,F\n";
const ITEMS = "ITEM_ID,TITLE\nB1,One\nB2,Two\n";
const INTERACTIONS = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\nU1,B1,view,1717200000\n";

/** Changes to three small valid files; `[name, content]` gives a name that does not end in `.csv`. */
export interface Given {
  user?: Content;
  item?: Content;
  interaction?: Content;
  textualFields?: string[];
  format?: Partial<FileFormat>;
  strict?: boolean;
  constants?: Constants;
}

type Content = string | Uint8Array | [name: string, content: string];

/** Generates the schemas of files with the given content. */
export async function generate(given: Given) {
  const folder = mkdtempSync(join(tmpdir(), "samples-"));
  const write = (name: string, content: Content) => {
    const [file, text] = Array.isArray(content) ? content : [`${name}.csv`, content];
    writeFileSync(join(folder, file), text);
    return join(folder, file);
  };
  try {
    return await generateSchemas({
      user: write("users", given.user ?? USERS),
      item: write("items", given.item ?? ITEMS),
      interaction: write("interactions", given.interaction ?? INTERACTIONS),
      textualFields: given.textualFields ?? [],
      ...(given.format && { format: { ...PLAIN_FILES, ...given.format } }),
      ...(given.strict && { strict: true }),
      ...(given.constants && { constants: given.constants }),
    });
  } catch (error) {
    if (!(error instanceof SampleError)) throw error;
    throw new SampleError(error.problems.map((problem) => problem.replaceAll(`${folder}/`, "")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the problems of the files. */
export async function problems(given: Given): Promise<readonly string[]> {
  try {
    await generate(given);
  } catch (error) {
    if (error instanceof SampleError) return error.problems;
    throw error;
  }
  return [];
}

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const Checkpoint = v.strictObject({ rows: Count, accepted: Count, rejected: Count });

/** How far a file has been uploaded: its first `rows` rows are settled. */
export type Checkpoint = v.InferOutput<typeof Checkpoint>;

/** The memory of an upload that may be cut off. */
export interface Checkpoints {
  /** Undefined when nothing of the file, as it is now, was uploaded to this address. */
  read(file: string): Checkpoint | undefined;
  write(file: string, checkpoint: Checkpoint): void;
  /** The upload is complete: the next one begins anew. */
  clear(file: string): void;
}

/**
 * Checkpoints as files of a folder, one for each address and file. A file of another size or time of change is another
 * file: an upload never goes on in the middle of changed rows.
 */
export function folderCheckpoints(folder: string, url: string): Checkpoints {
  const placeOf = (file: string) => {
    const { size, mtimeMs } = statSync(file);
    const name = createHash("sha256")
      .update(JSON.stringify([url, resolve(file), size, mtimeMs]))
      .digest("hex");
    return join(folder, `${name.slice(0, 32)}.json`);
  };
  return {
    read(file) {
      try {
        const parsed = v.safeParse(Checkpoint, JSON.parse(readFileSync(placeOf(file), "utf8")));
        return parsed.success ? parsed.output : undefined;
      } catch {
        // Not there, or cut off while it was written: the rows are sent again, which adds nothing.
        return undefined;
      }
    },
    write(file, checkpoint) {
      const place = placeOf(file);
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${place}.new`, JSON.stringify(checkpoint));
      renameSync(`${place}.new`, place);
    },
    clear: (file) => rmSync(placeOf(file), { force: true }),
  };
}

import { spawnSync } from "node:child_process";
import { lchownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LocalError, MissingTool } from "../process/error.ts";

/** Needs no entry in the user database. */
const UNPRIVILEGED = 1500;

/** How a command is started as a user that OpenSearch accepts: words before it, and a hand-over of folders. */
export interface RunAs {
  prefix: readonly string[];
  /** Gives a folder and what is in it to that user. */
  own(folder: string): void;
  /** Throws LocalError unless that user can read the file. */
  requireReadable(file: string): void;
}

/** OpenSearch refuses to run as root: root becomes an unprivileged user by setpriv, anyone else stays who they are. */
export function unprivileged(uid: number | undefined = process.getuid?.()): RunAs {
  if (uid !== 0) return { prefix: [], own() {}, requireReadable() {} };

  const prefix = ["setpriv", `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"];
  return {
    prefix,
    own: chownTree,
    requireReadable(file) {
      const [command = "", ...args] = [...prefix, "test", "-r", file];
      const { status, error } = spawnSync(command, args);
      if (error) {
        throw new MissingTool(
          "OpenSearch refuses to run as root, and setpriv (package util-linux) is not there to become another user: " +
            "install it, or run this as an ordinary user",
          { cause: error },
        );
      }
      if (status === 0) return;
      throw new LocalError(
        `OpenSearch refuses to run as root, so it runs as user ${UNPRIVILEGED}, who cannot read ${file}: ` +
          "let everyone enter the folders above it (chmod o+x), or run this as an ordinary user",
      );
    },
  };
}

function chownTree(folder: string) {
  lchownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(folder, entry), UNPRIVILEGED, UNPRIVILEGED);
  }
}

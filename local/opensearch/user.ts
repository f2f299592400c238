import { spawnSync } from "node:child_process";
import { lchownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LocalError, MissingTool } from "../process/error.ts";

/** User and group ID. They need no entry in the user database. */
const UNPRIVILEGED = 1500;

/** Runs a command as a user that OpenSearch accepts: `prefix` comes before the command, `own` hands over folders. */
export interface RunAs {
  prefix: readonly string[];
  /** Changes the owner of a folder and its contents to that user. */
  own(folder: string): void;
  /** Throws LocalError unless that user can read the file. */
  requireReadable(file: string): void;
}

/** OpenSearch refuses to run as root. As root, uses setpriv to run as an unprivileged user. Otherwise does nothing. */
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
          "OpenSearch refuses to run as root, and setpriv (package util-linux) is missing, so it cannot switch to another user: " +
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

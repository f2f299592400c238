import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Stacks that only support other stacks. */
const SHARED: ReadonlySet<string> = new Set(["storage", "foundation"]);

/** Returns whether a folder of Terraform state contains a deployed service of any project. */
export function anyDeployed(folder: string): boolean {
  return globSync("**/*.tfstate", { cwd: folder })
    .filter((file) => !SHARED.has(basename(file, ".tfstate")))
    .some((file) => {
      const { resources = [] }: { resources?: { mode?: string }[] } = JSON.parse(
        readFileSync(join(folder, file), "utf8"),
      );
      return resources.some(({ mode }) => mode === "managed");
    });
}

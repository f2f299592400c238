import { join } from "node:path";

/** The folders that commands use, relative to the working directory. `make clean` deletes `dist` only. */
export interface Folders {
  /** Built functions. */
  functions: string;
  /** Terraform's working folders for deploying. */
  stacks: string;
  /** Terraform's working folders for reading state and removing. */
  removal: string;
  /** Terraform's working folder for removing deletion protection. */
  uninstall: string;
  /** Saved plans, their text, and the discovery they are based on. */
  plans: string;
  /** Providers that Terraform downloads. */
  providers: string;
  /** Local state. */
  state: string;
  /** Tokenizer and weight table of sparse_v3, and their checksums. */
  models: { folder: string; lockFile: string };
}

/** Returns the folders of a project. */
export function foldersOf(project: string): Folders {
  return {
    functions: join("dist", "functions"),
    stacks: join("dist", "terraform", project),
    removal: join("dist", "terraform", `${project}.removal`),
    uninstall: join("dist", "terraform", `${project}.uninstall`),
    plans: join("dist", "plans", project),
    providers: join(".local", "terraform-providers"),
    state: ".terraform-state",
    models: { folder: join("models", "sparse_v3"), lockFile: "models.lock.json" },
  };
}

import { join } from "node:path";

/** Where commands read and write, relative to the working folder. `make clean` removes `dist`, nothing else. */
export interface Folders {
  /** Built functions. */
  functions: string;
  /** Terraform's working folders of the deployment. */
  stacks: string;
  /** Terraform's working folders for reading state and for removal. */
  removal: string;
  /** Terraform's working folder for allowing a deletion. */
  uninstall: string;
  /** Saved plans, their texts, and the discovery that they were made from. */
  plans: string;
  /** Providers that Terraform has downloaded. */
  providers: string;
  /** Local state. */
  state: string;
  /** Tokenizer and weight table of sparse_v3, and their checksums. */
  models: { folder: string; lockFile: string };
}

/** The folders of a project. */
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

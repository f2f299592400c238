import { resolve, sep } from "node:path";

/**
 * The folder of this package, whose files are only read: a clone of the repository, or the folder below `node_modules` in
 * which npm has installed it. What belongs to a project is found from the working directory instead.
 */
export const PACKAGE_FOLDER = resolve(import.meta.dirname, "../..");

/** Returns the folder for what is downloaded and built once: the clone, or the project that has installed the package. */
export const workFolder = (packageFolder: string = PACKAGE_FOLDER): string =>
  packageFolder.split(sep).includes("node_modules") ? process.cwd() : packageFolder;

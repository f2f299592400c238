/** A build that failed, with esbuild's messages as a person reads them: file, line, column and what to do. */
export class BuildError extends Error {
  override name = "BuildError";
}

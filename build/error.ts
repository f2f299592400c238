/** A failed build, with esbuild's messages in readable form: file, line, column and what to do. */
export class BuildError extends Error {
  override name = "BuildError";
}

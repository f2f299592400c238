/** A problem on this machine that the user can fix. The message names the problem, the value and what to do. */
export class LocalError extends Error {
  override name = "LocalError";
}

/** A program that must be installed first (Java, Maven). Tests that need it skip with a message, except in CI. */
export class MissingTool extends LocalError {
  override name = "MissingTool";
}

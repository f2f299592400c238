/** Something on this machine that the user can mend: what is wrong, with which value, and what to do. */
export class LocalError extends Error {
  override name = "LocalError";
}

/** A program that has to be installed first (Java, Maven). Tests skip loudly on it, outside of CI. */
export class MissingTool extends LocalError {
  override name = "MissingTool";
}

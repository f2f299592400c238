/** Advice for a failed file operation on a wrong path, by error code. */
const WRONG_PATH: Readonly<Record<string, string>> = {
  EACCES: "give this user the permission, or choose another folder",
  EPERM: "give this user the permission, or choose another folder",
  EROFS: "the file system is read-only: choose another folder",
  ENOTDIR: "a file stands where a folder is needed: remove it, or choose another folder",
  EISDIR: "a folder stands where a file is needed: remove it, or choose another file",
  EEXIST: "something of that name is there already: remove it, or choose another name",
  ENOENT: "it does not exist: check the path",
};

/** The same if the machine has no more of something. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: free some space",
  EMFILE: "too many files are open: raise the limit with `ulimit -n`",
  ENFILE: "too many files are open on this machine: end some programs",
};

/** A file operation that the operating system rejected. */
export interface FileProblem {
  /** One line that says what failed and what to do. */
  message: string;
  /** Whether another path would help, or a permission. */
  wrongPath: boolean;
}

/** Returns what is wrong if the operating system rejected a file operation; undefined for any other error. */
export function fileProblem(error: unknown): FileProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", path, message } = error as NodeJS.ErrnoException;
  const wrongPath = Object.hasOwn(WRONG_PATH, code);
  const advice = wrongPath ? WRONG_PATH[code] : Object.hasOwn(EXHAUSTED, code) ? EXHAUSTED[code] : undefined;
  // ENOSPC has no path if the file was already open.
  if (advice === undefined || (path === undefined && code !== "ENOSPC")) return undefined;
  return { message: `${message}: ${advice}`, wrongPath };
}

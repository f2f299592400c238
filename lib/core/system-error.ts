/** What to do about a failed file operation, by error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "give this user the permission, or choose another folder",
  EPERM: "give this user the permission, or choose another folder",
  EROFS: "the file system is read-only: choose another folder",
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: free some space",
  ENOTDIR: "a file stands where a folder is needed: remove it, or choose another folder",
  EISDIR: "a folder stands where a file is needed: remove it, or choose another file",
  EEXIST: "something of that name is there already: remove it, or choose another name",
  ENOENT: "it does not exist: check the path",
  EMFILE: "too many files are open: raise the limit with `ulimit -n`",
  ENFILE: "too many files are open on this machine: end some programs",
};

/**
 * Returns one line that says what failed and what to do, if the operating system rejected a file operation. Returns
 * undefined for any other error.
 */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, message } = error as NodeJS.ErrnoException;
  // ENOSPC has no path if the file was already open.
  if (code === undefined || !Object.hasOwn(ADVICE, code) || (path === undefined && code !== "ENOSPC")) return undefined;
  return `${message}: ${ADVICE[code]}`;
}

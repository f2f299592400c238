/** The content of a judgments or queries file is wrong. The message names the line. */
export class JudgmentsError extends Error {}

/**
 * Returns the text of a file in UTF-8 or UTF-16, without its byte order mark. Throws JudgmentsError for another encoding,
 * which nobody can tell from the bytes alone: read as Latin-1, wrong queries would be searched for.
 */
export function decoded(bytes: Buffer): string {
  const encoding = utf16Of(bytes);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new JudgmentsError(
      `line ${firstWrongLine(bytes)} is not UTF-8; the file is probably Latin-1 (Windows-1252): save it as UTF-8, for ` +
        "example with iconv -f WINDOWS-1252 -t UTF-8",
      { cause: error },
    );
  }
}

/** Returns which UTF-16 bytes are, by their mark or by a zero in the first character, which no other text has. */
function utf16Of([first, second]: Buffer): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined)) return "utf-16be";
  return undefined;
}

function firstWrongLine(bytes: Buffer): number {
  const lines = bytes.toString("utf8").split("\n");
  return lines.findIndex((line) => line.includes("\ufffd")) + 1;
}

import { signal } from "@preact/signals";

const KEPT = "rater";

/** The name under which this browser judges; empty for nobody's in particular. */
export const rater = signal(kept());

/** Judges under a name from now on, also when this browser opens the page again. */
export function setRater(name: string): void {
  rater.value = name.trim().replaceAll(/\s+/g, " ").normalize("NFC");
  try {
    localStorage.setItem(KEPT, rater.value);
  } catch {
    // Without storage the name is asked for again.
  }
}

function kept(): string {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

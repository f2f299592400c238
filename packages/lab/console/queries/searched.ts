import { signal } from "@preact/signals";
import type { Searches } from "../../server/log-reports.ts";
import { callConsole } from "../api.ts";
import { announce, place } from "../state.ts";

interface Listed {
  /** The request. */
  key: string;
  value: Searches | null;
  error: string;
}

/** Searched queries, in the form that the view requests. */
export const searched = signal<Listed>({ key: "", value: null, error: "" });

/** Returns the path that reads the searches of the place. */
export function pathOf({ days, index, everywhere }: { days: string; index: string; everywhere: boolean }): string {
  const named = everywhere || index === "" ? {} : { index };
  return `/api/queries?${new URLSearchParams({ days, ...named })}`;
}

/** Reads the searches of the place, unless they are known. */
export async function readSearched({ again = false } = {}): Promise<void> {
  const key = pathOf(place.value);
  if (searched.value.key === key && !again) return;
  searched.value = { key, value: null, error: "" };
  const show = (value: Searches | null, error: string) => {
    if (searched.value.key !== key) return;
    searched.value = { key, value, error };
    announce(value ? `${value.of} queries` : error);
  };
  try {
    show(await callConsole<Searches>("GET", key), "");
  } catch (error) {
    show(null, (error as Error).message);
  }
}

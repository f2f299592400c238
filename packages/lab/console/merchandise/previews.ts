import { signal } from "@preact/signals";
import type { Setting } from "../../evaluation/settings-file.ts";
import type { Preview } from "../../preview/preview.ts";
import { callConsole } from "../api.ts";
import { follow } from "../measure/runs.ts";
import { readMapping } from "../search/mapping.ts";
import { readDocuments, subqueries } from "../search/results.ts";
import type { Variant } from "../search/variant.ts";
import { settingsFileOf } from "../search/variants.ts";
import { announce, place } from "../state.ts";

/** The preview of the change that is open; `of` tells changes apart. */
export const preview = signal<{ of: string; value: Preview | null; isRunning: boolean; error: string }>({
  ...{ of: "", value: null },
  ...{ isRunning: false, error: "" },
});

/** Milliseconds until the page asks how far the run is. */
const POLL_MS = 500;

interface PreviewRequest {
  /** Tells the change apart from others. */
  of: string;
  /** The search that people make. */
  variant: Variant;
  judgments: string;
  texts: string[];
  /** Returns what a setting needs in order to search with the change. */
  draft: () => Promise<Partial<Setting>>;
  /** Request members that disable the change, if the deployed settings may already contain it. */
  today?: Partial<Setting> | undefined;
}

/** Searches a set of queries with the change and without it. */
export async function startPreview({
  of,
  variant,
  judgments,
  texts,
  draft,
  today = {},
}: PreviewRequest): Promise<void> {
  preview.value = { of, value: null, isRunning: true, error: "" };
  try {
    const { index } = place.value;
    await readMapping(index);
    const { settings, ...file } = settingsFileOf([variant], { index, subqueries: subqueries.value });
    const [before] = settings;
    const changed = { ...before, ...(await draft()), name: "the change" };
    const sent = { ...file, settings: [{ ...before, ...today, name: "today" }, changed] };
    const ended = callConsole<{ result: Preview }>("POST", "/api/runs", {
      ...{ kind: "preview", judgments, texts, settings: sent, metrics: "ndcg@10" },
    });
    setTimeout(() => void follow(), POLL_MS);
    const { result } = await ended;
    preview.value = { of, value: result, isRunning: false, error: "" };
    announce("The preview is done");
    // Titles of documents that come and go.
    const ids = result.queries.flatMap(({ entered, left }) => [...entered, ...left]);
    await readDocuments([...new Set(ids)].slice(0, 200), index);
  } catch (error) {
    preview.value = { of, value: null, isRunning: false, error: (error as Error).message };
  }
}

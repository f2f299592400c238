import { signal } from "@preact/signals";
import type { RecommendationReport } from "../../recommendations/places.ts";
import { callConsole } from "../api.ts";
import { announce, place } from "../state.ts";

interface Read {
  /** The days that were read. */
  days: string;
  value: RecommendationReport | null;
  error: string;
  isReading: boolean;
}

/** Latest data, and the error if reading it again failed. */
export const report = signal<Read>({ days: "", value: null, error: "", isReading: false });

/** Reads what users did with the lists of the last days. */
export async function readReport(): Promise<void> {
  const { days } = place.value;
  report.value = { ...report.value, error: "", isReading: true };
  try {
    const value = await callConsole<RecommendationReport>("GET", `/api/report?days=${days}`);
    report.value = { days, value, error: "", isReading: false };
    announce(`Lists of ${value.places.length} places`);
  } catch (error) {
    report.value = { days, value: null, error: (error as Error).message, isReading: false };
  }
}

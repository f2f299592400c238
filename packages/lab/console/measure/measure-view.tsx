import { useEffect, useState } from "preact/hooks";
import { names, readFile } from "../judge/judgments.ts";
import { Problem } from "../parts.tsx";
import { dayAndTime } from "../recommend/status.ts";
import { readMapping } from "../search/mapping.ts";
import { measured, subqueries } from "../search/results.ts";
import { variantTitle } from "../search/variants.ts";
import { goTo, hashOf, place } from "../state.ts";
import { EvaluationView } from "./evaluation-view.tsx";
import { ClicksView, ExperimentView } from "./log-view.tsx";
import { OverTimeView } from "./over-time-view.tsx";
import { cancel, far, follow, openFile, progress, readRun, runs, shown, start } from "./runs.ts";
import { TuningView } from "./tuning-view.tsx";

/** Evaluations and tunings, their results, and what the request log says about variants and documents. */
export function MeasureView() {
  const { judgments, run, index } = place.value;
  useEffect(() => {
    void follow();
    void readFile(judgments);
    void readMapping(index);
  }, [judgments, index]);
  useEffect(() => {
    if (shown.value?.id !== run) void readRun(run);
  }, [run]);
  const tab = (Object.keys(TABS) as Tab[]).find((name) => name === place.value.tab) ?? "runs";
  return (
    <>
      <nav class="tabs" aria-label="What to measure">
        {(Object.keys(TABS) as Tab[]).map((name) => (
          <a
            key={name}
            href={hashOf({ ...place.value, tab: name === "runs" ? "" : name })}
            aria-current={name === tab ? "true" : undefined}
          >
            {TABS[name]}
          </a>
        ))}
      </nav>
      {tab === "runs" && <RunsView />}
      {tab === "over-time" && <OverTimeView />}
      {tab === "experiments" && <ExperimentView />}
      {tab === "clicks" && <ClicksView />}
    </>
  );
}

const TABS = { runs: "Runs", "over-time": "Over time", experiments: "Experiments", clicks: "Clicks" } as const;
type Tab = keyof typeof TABS;

/** Starts evaluations and tunings, and shows one. */
function RunsView() {
  const { run } = place.value;
  const { error } = progress.value;
  const running = progress.value.running ?? far.value?.running ?? null;
  return (
    <>
      <StartForm />
      {running && <Busy kind={running} />}
      <Problem text={error} />
      <div class="beside">
        <div>
          {!shown.value && !running && (
            <p class="empty">
              An evaluation compares the variants of Search on judged queries. A tuning finds the best weights. Choose a
              judgments file above and start one, or open an earlier one.
            </p>
          )}
          {shown.value?.kind === "evaluate" && <EvaluationView run={shown.value} />}
          {shown.value?.kind === "tune" && <TuningView run={shown.value} />}
        </div>
        <section class="column" aria-label="Earlier runs">
          <h2>Earlier runs</h2>
          {runs.value.length === 0 && <p class="note">None yet.</p>}
          <ul>
            {runs.value.map(({ id, kind, when, judgments: name, index: searched }) => (
              <li key={id}>
                <a href={hashOf({ ...place.value, run: id })} aria-current={id === run ? "true" : undefined}>
                  {kind} {searched} on {name}, {dayAndTime(when)}
                </a>
              </li>
            ))}
          </ul>
          <label>
            Or open the output of evaluate or tune with --json
            <input
              type="file"
              accept="application/json,.json"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                if (file) void openFile(file);
              }}
            />
          </label>
        </section>
      </div>
    </>
  );
}

const DOING = { evaluate: "Evaluating", tune: "Tuning", preview: "Previewing" } as const;
type RunKind = keyof typeof DOING;

/** Running work and its progress. */
function Busy({ kind }: { kind: RunKind }) {
  const { note = "", begun = 0, variants: count = 0 } = far.value ?? {};
  return (
    <section class="busy" aria-label="In progress">
      <p class="note" role="status">
        {DOING[kind]} … {note || "this takes a search for each query and variant"}
      </p>
      {/* The variant that has begun is not done. Without a value the bar says only that something happens. */}
      <progress
        aria-label="progress"
        max={Math.max(1, count)}
        value={kind === "evaluate" && begun > 0 ? begun - 1 : undefined}
      />
      <button type="button" onClick={() => void cancel()}>
        Cancel
      </button>
    </section>
  );
}

const METRICS = "ndcg@10,condensed_ndcg@10,mrr@10,precision@10,recall@100,zero_hits";

function StartForm() {
  const [metrics, change] = useState(METRICS);
  const { judgments } = place.value;
  const isRunning = (progress.value.running ?? far.value?.running ?? null) !== null;
  const [metric = "ndcg@10"] = metrics.split(",");
  return (
    <form class="row" onSubmit={(event) => event.preventDefault()}>
      <label>
        Judgments file
        <select value={judgments} onChange={(event) => goTo({ judgments: event.currentTarget.value })}>
          {[...new Set([...names.value, judgments])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="grow">
        Metrics; the first decides
        <input value={metrics} spellcheck={false} onChange={(event) => change(event.currentTarget.value.trim())} />
      </label>
      <button type="button" class="primary" disabled={isRunning} onClick={() => void start("evaluate", metrics)}>
        Evaluate {measured.value.length} variants
      </button>
      <button
        type="button"
        disabled={isRunning || subqueries.value.length < 2}
        onClick={() => void start("tune", metric)}
      >
        Tune the hybrid search
      </button>
      <p class="note wide">
        The variants of Search: {measured.value.map((variant) => variantTitle(variant, subqueries.value)).join(", ")}.
        The first is the baseline.
      </p>
    </form>
  );
}

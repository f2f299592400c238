import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shown as fixed } from "../../evaluation/sentences.ts";
import type { Setting } from "../../evaluation/settings-file.ts";
import type { Preview, PreviewedQuery } from "../../preview/preview.ts";
import { previewText } from "../../preview/sentences.ts";
import { names, readFile } from "../judge/judgments.ts";
import { cancel, far } from "../measure/runs.ts";
import { Problem, Problems, scrolls } from "../parts.tsx";
import { readMapping } from "../search/mapping.ts";
import { documents, measured, subqueries } from "../search/results.ts";
import { titleOf } from "../search/shown.ts";
import { variantTitle } from "../search/variants.ts";
import { hashOf, place } from "../state.ts";
import { preview, startPreview } from "./previews.ts";

interface PreviewProps {
  /** Tells the change apart from others. */
  of: string;
  /** Texts that the change is about. */
  texts: readonly string[];
  draft: () => Promise<Partial<Setting>>;
  today?: Partial<Setting>;
}

/** Shows what a change does to each query of a set, before it is in use. */
export function PreviewView({ of, texts, draft, today }: PreviewProps) {
  const { judgments, index } = place.value;
  const [typed, type] = useState<string | null>(null);
  const [chosen, choose] = useState<string | null>(null);
  const [as, searchAs] = useState("");
  useEffect(() => {
    void readFile(judgments);
    void readMapping(index);
  }, [judgments, index]);
  const all = measured.value;
  const titles = all.map((variant) => variantTitle(variant, subqueries.value));
  const usual = all.findLast(({ kind }) => kind === "hybrid") ?? all[0];
  const variant = all[titles.indexOf(as)] ?? usual;
  const file = chosen ?? (names.value.includes(judgments) ? judgments : "");
  const lines = (typed ?? texts.join("\n")).split("\n").flatMap((line) => line.trim() || []);
  const { value, isRunning, error } = preview.value.of === of ? preview.value : NO_PREVIEW;
  return (
    <section aria-label="Preview">
      <h3>What it does to searches</h3>
      <div class="row">
        <label class="grow">
          Searches to try, one per line
          <textarea
            rows={3}
            dir="auto"
            value={typed ?? texts.join("\n")}
            onInput={(event) => type(event.currentTarget.value)}
          />
        </label>
        <label>
          Searches of a judgments file
          <select value={file} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">none</option>
            {names.value.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Kind of search
          <select
            value={variant && variantTitle(variant, subqueries.value)}
            onChange={(event) => searchAs(event.currentTarget.value)}
          >
            {titles.map((title) => (
              <option key={title}>{title}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={isRunning || !variant || (file === "" && lines.length === 0)}
          onClick={() => variant && void startPreview({ of, variant, judgments: file, texts: lines, draft, today })}
        >
          Preview
        </button>
      </div>
      {isRunning && (
        <div class="busy">
          <p class="note" role="status">
            Searching … {far.value?.note}
          </p>
          <progress aria-label="progress" />
          <button type="button" onClick={() => void cancel()}>
            Stop the preview
          </button>
        </div>
      )}
      <Problem text={error} />
      {value && <Result preview={value} />}
    </section>
  );
}

const NO_PREVIEW = { value: null, isRunning: false, error: "" };

function Result({ preview: value }: { preview: Preview }) {
  const { queries, names: settings, metric, warnings } = value;
  const differing = queries.filter(({ outcome }) => outcome !== "unchanged");
  return (
    <>
      <p class="verdict" role="status">
        {previewText(value)}
      </p>
      <Problems texts={warnings} />
      {differing.length > 0 && (
        <div class="scroll tall" {...scrolls}>
          <table>
            <caption>Queries that change; a click searches for one</caption>
            <thead>
              <tr>
                <th scope="col">query</th>
                <th scope="col" class="text">
                  it is
                </th>
                <th scope="col">
                  {metric} {settings[0]}
                </th>
                <th scope="col">{settings[1]}</th>
                <th scope="col" class="text">
                  first {value.depth} hits
                </th>
              </tr>
            </thead>
            <tbody>
              {differing.map((one) => (
                <tr key={one.query}>
                  <th scope="row" dir="auto">
                    <a href={hashOf({ ...place.value, view: "search", query: one.query })}>{one.query}</a>
                  </th>
                  <td class="text word">{one.outcome}</td>
                  <td>{one.before === null ? "–" : fixed(one.before)}</td>
                  <td>{one.after === null ? "–" : fixed(one.after)}</td>
                  <td class="text">
                    <Changes of={one} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Hits that enter and leave. A title has its own text direction. */
function Changes({ of: { entered, left, moved, told } }: { of: PreviewedQuery }) {
  const title = (id: string) => titleOf(id, documents.value.get(id));
  const changes = [
    ...entered.map((id) => ["+ ", title(id)]),
    ...left.map((id) => ["− ", title(id)]),
    ...(moved ? [["", "another order"]] : []),
    ...(told ? [["", "something else for the page"]] : []),
  ];
  return (
    <>
      {changes.map(([sign, text], at) => (
        <Fragment key={at}>
          {at > 0 && "; "}
          {sign}
          <bdi>{text}</bdi>
        </Fragment>
      ))}
    </>
  );
}

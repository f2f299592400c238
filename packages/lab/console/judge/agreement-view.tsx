import { useEffect, useMemo, useState } from "preact/hooks";
import { type Agreement, agreementOf, agreementText, type Disagreement } from "../../judgments/agreement.ts";
import { scrolls } from "../parts.tsx";
import { documents, readDocuments } from "../search/results.ts";
import { titleOf } from "../search/shown.ts";
import { announce, hashOf, place } from "../state.ts";
import { GRADES } from "./grades.ts";
import { file, judgmentsAboutIndex, save } from "./judgments.ts";
import { rater } from "./rater.ts";

/** Disagreements that are shown at once: deciding one makes room for the next. */
const SHOWN = 20;

/** How far raters agree, and what they disagree about. It is closed at first, since whoever judges must not see it. */
export function AgreementView() {
  const [isOpen, open] = useState(false);
  const names = new Set(judgmentsAboutIndex().flatMap((row) => row.rater ?? []));
  if (names.size < 2) return null;
  return (
    <details class="agreement column" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Agreement of {names.size} raters (shows their grades)</summary>
      {isOpen && <Opened />}
    </details>
  );
}

function Opened() {
  const { index } = place.value;
  // Its interval takes thousands of resamples.
  const found = useMemo(() => agreementOf(judgmentsAboutIndex()), [file.value.rows, index]);
  const listed = found?.disagreements.slice(0, SHOWN) ?? [];
  const ids = listed.map(({ document }) => document);
  useEffect(() => {
    void readDocuments(ids, index).catch(() => undefined);
  }, [ids.join(), index]);
  if (!found) return null;
  const open = found.disagreements.filter(({ adjudicated }) => !adjudicated).length;
  return (
    <>
      <p>{agreementText(found)}</p>
      <p class="note">
        {found.disagreements.length} disagreements, {open} of them not decided. A decision counts for every measurement;
        until then the median does.
        {rater.value === "" && " Write your name above to decide."}
      </p>
      {listed.length > 0 && <Disagreements found={found} listed={listed} />}
    </>
  );
}

function Disagreements({ found, listed }: { found: Agreement; listed: readonly Disagreement[] }) {
  const names = Object.keys(found.raters);
  return (
    <div class="scroll" {...scrolls}>
      <table>
        <thead>
          <tr>
            {["query", "document", ...names, "decision"].map((name) => (
              <th key={name} scope="col" dir="auto">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listed.map((one) => (
            <tr key={JSON.stringify([one.query, one.document])}>
              <th scope="row" dir="auto">
                <a href={hashOf({ ...place.value, query: one.query })}>{one.query}</a>
              </th>
              <td dir="auto">{titleOf(one.document, documents.value.get(one.document))}</td>
              {names.map((name) => (
                <td key={name}>{one.grades[name]}</td>
              ))}
              <td>
                <Decision of={one} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The grades to decide for; the chosen one again takes the decision back. */
function Decision({ of: { query, document, adjudicated } }: { of: Disagreement }) {
  const decide = async (grade: number) => {
    const chosen = adjudicated?.grade === grade ? null : grade;
    if (!(await save(place.value.judgments, query, document, chosen, { adjudicated: rater.value }))) return;
    announce(chosen === null ? "Decision taken back" : `Decided: ${GRADES[grade]}`);
  };
  return (
    <fieldset class="decision">
      <legend class="hidden">
        Decide {document} for {query}
      </legend>
      {GRADES.map((name, grade) => (
        <button
          key={name}
          type="button"
          disabled={rater.value === ""}
          class={adjudicated?.grade === grade ? "primary" : ""}
          aria-pressed={adjudicated?.grade === grade}
          aria-label={`${grade} ${name}`}
          onClick={() => void decide(grade)}
        >
          {grade}
        </button>
      ))}
      {adjudicated && <span class="note"> by {adjudicated.by}</span>}
    </fieldset>
  );
}

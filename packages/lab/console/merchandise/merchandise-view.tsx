import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, scrolls } from "../parts.tsx";
import { dayAndTime } from "../recommend/status.ts";
import { IndexChoice } from "../search/index-choice.tsx";
import { goTo, hashOf, otherIndex, place, setup } from "../state.ts";
import { type DocumentName, documents, readDocument, revertTo } from "./documents.ts";
import { RulesPlace } from "./rules-place.tsx";
import { SynonymsPlace } from "./synonyms-place.tsx";
import { VarietyPlace } from "./variety-place.tsx";

const TABS = { rules: "Rules", synonyms: "Synonyms", variety: "Variety" } as const;

/** Rules, synonyms and variety: what is in use, a change, what it does to searches, and how it is taken back. */
export function MerchandiseView() {
  const name = (Object.keys(TABS) as DocumentName[]).find((tab) => tab === place.value.tab) ?? "rules";
  const told = useRef<HTMLDivElement>(null);
  const { value, isLoading, isApplying, error, outcome } = documents[name].value;
  // The button that puts a change into use is far below.
  useEffect(() => {
    if (outcome.said + outcome.problem + error !== "") told.current?.scrollIntoView({ block: "nearest" });
  }, [outcome, error]);
  useEffect(() => {
    if (setup.value?.can.merchandise) void readDocument(name);
  }, [name]);
  if (!setup.value?.can.merchandise) {
    return (
      <p class="empty">
        Rules, synonyms and variety can be changed here with a configuration: start the console with --conf.
      </p>
    );
  }
  return (
    <>
      <div class="row">
        <nav class="tabs grow" aria-label="What to change">
          {(Object.keys(TABS) as DocumentName[]).map((tab) => (
            <a
              key={tab}
              href={hashOf({ ...place.value, tab, rule: "", text: "" })}
              aria-current={tab === name ? "true" : undefined}
            >
              {TABS[tab]}
            </a>
          ))}
        </nav>
        <IndexChoice
          label="Index to try it on"
          value={place.value.index}
          onChange={(chosen) => goTo(otherIndex(chosen))}
        />
      </div>
      <div ref={told}>
        <Problem text={error} />
        <Problem text={outcome.problem} />
        {outcome.said !== "" && (
          <p class="verdict" role="status">
            {outcome.said}
          </p>
        )}
      </div>
      {(isApplying || (isLoading && !value)) && (
        <p class="note" role="status">
          {isApplying ? "Putting a change into use …" : "Reading what is in use …"}
        </p>
      )}
      <Problem text={(value?.problems ?? []).join("\n")} />
      {name === "rules" && <RulesPlace />}
      {name === "synonyms" && <SynonymsPlace />}
      {name === "variety" ? <VarietyPlace /> : <Versions key={name} name={name} />}
    </>
  );
}

/** Returns the name in an ARN: of the user, or of the session of a role. */
const authorOf = (writtenBy: string): string => writtenBy.split(/[/:]/).at(-1) || writtenBy;

/** Who changed what, and the way back. */
function Versions({ name }: { name: DocumentName }) {
  const [state, set] = useState({ busy: 0, error: "" });
  const versions = documents[name].value.value?.versions;
  if (!versions) return null;
  const revert = async (version: number) => {
    set({ busy: version, error: "" });
    try {
      await revertTo(name, version);
      set({ busy: 0, error: "" });
    } catch (error) {
      set({ busy: 0, error: (error as Error).message });
    }
  };
  return (
    <section class="column more" aria-label="Versions">
      <h2>Versions</h2>
      <Problem text={state.error} />
      {versions.length === 0 && <p class="note">Nothing was put into use yet.</p>}
      {versions.length > 0 && (
        <div class="scroll" {...scrolls}>
          <table>
            <thead>
              <tr>
                <th scope="col">version</th>
                <th scope="col" class="text">
                  when
                </th>
                <th scope="col" class="text">
                  who
                </th>
                <th scope="col" class="text">
                  what changed
                </th>
                <th scope="col">
                  <span class="hidden">the way back</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.map(({ version, written_at, written_by, reverts_to, changes }, at) => (
                <tr key={version}>
                  <th scope="row">{version}</th>
                  <td class="text">{dayAndTime(written_at)}</td>
                  <td class="text" title={written_by}>
                    {authorOf(written_by)}
                  </td>
                  <td class="text">
                    {reverts_to !== undefined && `brings back version ${reverts_to}. `}
                    {changes.join("; ")}
                  </td>
                  <td>
                    {at === 0 ? (
                      "in use"
                    ) : (
                      <button type="button" disabled={state.busy > 0} onClick={() => void revert(version)}>
                        {state.busy === version ? "Bringing it back …" : "Bring back"}
                        <span class="hidden"> version {version}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

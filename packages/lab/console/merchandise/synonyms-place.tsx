import { folded } from "@relevance/lib/platform/words.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { TurnOn, useFocus } from "../parts.tsx";
import { place } from "../state.ts";
import { ChangeView } from "./change-view.tsx";
import { documents, forgetOutcome } from "./documents.ts";

/** Rules that a list shows at a time. */
const SHOWN = 100;

/** Returns a form for new synonyms: an empty one, or one of what a text also finds. */
const newForm = (from: string) => {
  const kind = from === "" ? "two-way" : "one-way";
  return { ...{ file: "", before: "", kind, from, to: "" }, isRemoved: false };
};

/** The lists of synonyms, and a form for one rule of them. */
export function SynonymsPlace() {
  const { value } = documents.synonyms.value;
  const files = value?.files ?? [];
  const { text, index } = place.value;
  const [form, edit] = useState(() => newForm(text));
  const [wanted, filter] = useState("");
  useEffect(() => edit(newForm(text)), [text, index]);
  if (!value) return null;
  if (files.length === 0) {
    const what = "With synonyms a search for a word also finds what is called otherwise.";
    const lines = `- index: ${place.value.index}
  synonyms:
    files: [{ file: synonyms/words.txt }] # a line such as: sofa, couch`;
    return <TurnOn what={what} file="hybrid_search.yaml, and create the file that it names" lines={lines} />;
  }
  const file = files.find((one) => one.file === form.file) ?? files[0];
  if (!file) return null;
  const { from, to, kind, before, isRemoved } = form;
  const listed = (text: string) =>
    text
      .split(",")
      .flatMap((one) => one.trim() || [])
      .join(", ");
  const line = kind === "two-way" ? listed(from) : `${listed(from)} => ${listed(to)}`;
  const isWhole = kind === "two-way" ? from.includes(",") : listed(from) !== "" && listed(to) !== "";
  const change = isRemoved
    ? { file: file.file, before, after: null }
    : isWhole
      ? { file: file.file, before, after: line }
      : undefined;
  const found = file.rules.filter((rule) => folded(rule).includes(folded(wanted)));
  const open = (rule: string, isRemoved: boolean) => {
    const [left = "", right] = rule.split(" => ");
    forgetOutcome("synonyms");
    const kind = right === undefined ? "two-way" : "one-way";
    edit({ file: file.file, before: rule, kind, from: left, to: right ?? "", isRemoved });
  };
  const texts = [...new Set(listed(from).split(", "))].filter((text) => text !== "");
  return (
    <div class="beside">
      <section class="column" aria-label="Synonym">
        <h2>{before === "" ? "New synonyms" : before}</h2>
        {isRemoved ? (
          <p class="note">
            This takes the rule away.{" "}
            <button type="button" class="link" onClick={() => edit({ ...form, isRemoved: false })}>
              Keep it
            </button>
          </p>
        ) : (
          <Focused key={`${before}${text}`}>
            <label>
              Direction
              <select value={kind} onChange={(event) => edit({ ...form, kind: event.currentTarget.value })}>
                <option value="two-way">all words find each other</option>
                <option value="one-way">one word also finds others</option>
              </select>
            </label>
            <label class="grow">
              {kind === "two-way" ? "Words that mean the same, with commas" : "Searched word"}
              <input
                data-first={kind === "two-way" || undefined}
                dir="auto"
                value={from}
                onInput={(event) => edit({ ...form, from: event.currentTarget.value })}
              />
            </label>
            {kind === "one-way" && (
              <label class="grow">
                Words that it also finds, with commas
                <input
                  data-first
                  dir="auto"
                  value={to}
                  onInput={(event) => edit({ ...form, to: event.currentTarget.value })}
                />
              </label>
            )}
          </Focused>
        )}
        <ChangeView
          key={file.file}
          name="synonyms"
          change={change}
          texts={texts}
          onApplied={() => {
            const empty = { ...form, before: "", from: "", to: "", isRemoved: false };
            // Something else may have been typed meanwhile.
            edit((now) => (now === form ? empty : now));
          }}
        />
      </section>
      <section class="column" aria-label="All synonyms">
        <label>
          List
          <select
            value={file.file}
            onChange={(event) =>
              edit({ ...form, file: event.currentTarget.value, before: "", from: "", to: "", isRemoved: false })
            }
          >
            {files.map((one) => (
              <option key={one.file}>{one.file}</option>
            ))}
          </select>
        </label>
        <label>
          Find in it
          <input type="search" value={wanted} onInput={(event) => filter(event.currentTarget.value)} />
        </label>
        <ul>
          {found.slice(0, SHOWN).map((rule) => (
            <li key={rule}>
              <button type="button" class="link" onClick={() => open(rule, false)}>
                {rule}
              </button>{" "}
              {file.pending.includes(rule) && <span class="tag">not in use yet</span>}
              <button type="button" class="quiet" onClick={() => open(rule, true)}>
                ✕<span class="hidden"> take away {rule}</span>
              </button>
            </li>
          ))}
        </ul>
        <p class="note">
          {found.length > SHOWN
            ? `${SHOWN} of ${found.length} rules`
            : `${found.length} ${found.length === 1 ? "rule" : "rules"}`}
        </p>
      </section>
    </div>
  );
}

/** The form of one rule. */
function Focused({ children }: { children: ComponentChildren }) {
  return (
    <form ref={useFocus()} class="row" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

import { useEffect, useState } from "preact/hooks";
import { TurnOn } from "../parts.tsx";
import { readDocuments } from "../search/results.ts";
import { goTo, place } from "../state.ts";
import { ChangeView } from "./change-view.tsx";
import { documents, forgetOutcome } from "./documents.ts";
import { type FormRule, NEW_RULE, newRule, summaryOf, textsOf, tidy } from "./rule.ts";
import { RuleForm } from "./rule-form.tsx";

/** The rules, and a form for one of them. */
export function RulesPlace() {
  const { value } = documents.rules.value;
  const { rule: open, index, text } = place.value;
  const rules = (value?.rules ?? []) as FormRule[];
  const found = rules.find(({ name }) => name === open);
  if (!value) return null;
  if (value.rules === null) {
    const what = "A rule pins, hides, raises or filters products for the searches that you choose.";
    return <TurnOn what={what} file="rules.yaml" lines="rules: []" />;
  }
  const stale = new Set(value.others.map(({ name }) => name));
  const pick = (rule: string) => {
    forgetOutcome("rules");
    goTo({ rule, text: "" });
  };
  return (
    <div class="beside">
      <section class="column" aria-label="Rule">
        {!found && open !== NEW_RULE && (
          <p class="empty">
            A rule pins, hides, raises or filters products, or tells the page something, for the searches that you
            choose. Pick one, or add one.
          </p>
        )}
        {(found || open === NEW_RULE) && (
          <OpenRule
            key={JSON.stringify([open, found, index, text])}
            before={found}
            onApplied={(name) => {
              // Another rule may have been opened meanwhile, and typed into.
              if (place.value.rule === open) goTo({ rule: name, text: "" }, { replace: true });
            }}
          />
        )}
      </section>
      <section class="column" aria-label="All rules">
        <h2>{rules.length === 1 ? "1 rule" : `${rules.length} rules`}</h2>
        <button type="button" onClick={() => pick(NEW_RULE)}>
          + rule
        </button>
        <ul>
          {rules.map((rule) => (
            <li key={rule.name}>
              <button
                type="button"
                class="link"
                aria-current={rule.name === open ? "true" : undefined}
                onClick={() => pick(rule.name)}
              >
                {rule.name}
              </button>
              <span class="note"> {summaryOf(rule)}</span>
              {stale.has(rule.name) && <span class="tag">in use is another one</span>}
            </li>
          ))}
          {value.others
            .filter(({ name }) => rules.every((rule) => rule.name !== name))
            .map(({ name }) => (
              <li key={String(name)}>
                {String(name)} <span class="tag">in use, not in rules.yaml</span>
              </li>
            ))}
        </ul>
      </section>
    </div>
  );
}

interface OpenRuleProps {
  /** Undefined for a new one. */
  before: FormRule | undefined;
  onApplied: (name: string) => void;
}

function OpenRule({ before, onApplied }: OpenRuleProps) {
  const [rule, edit] = useState<FormRule>(before ?? newRule(place.value.text, place.value.index));
  const [isRemoved, remove] = useState(false);
  const { index } = place.value;
  useEffect(() => {
    const { pin = [], hide } = before?.effects ?? {};
    // Without their titles they are shown by their ids.
    void readDocuments([...pin.map(({ id }) => id), ...(hide?.ids ?? [])], index).catch(() => undefined);
  }, []);
  const change = isRemoved ? { name: before?.name, rule: null } : { name: before?.name ?? "", rule: tidy(rule) };
  return (
    <>
      <h2>{before ? before.name : "New rule"}</h2>
      {isRemoved ? (
        <p class="note">
          This takes the rule away.{" "}
          <button type="button" class="link" onClick={() => remove(false)}>
            Keep it
          </button>
        </p>
      ) : (
        <>
          <RuleForm rule={rule} onChange={edit} />
          {before && (
            <p class="note">
              <button type="button" class="link" onClick={() => remove(true)}>
                Take this rule away
              </button>
            </p>
          )}
        </>
      )}
      <ChangeView
        name="rules"
        change={rule.name === "" ? undefined : change}
        texts={textsOf(rule)}
        onApplied={() => onApplied(isRemoved ? "" : rule.name)}
      />
    </>
  );
}

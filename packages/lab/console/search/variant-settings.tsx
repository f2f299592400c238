import { COMBINATION_FACTS, HYBRID_DEFAULTS } from "@relevance/lib/platform/contract/search.ts";
import { capabilitiesOf } from "@relevance/lib/search/opensearch/capabilities-of.ts";
import { useId } from "preact/hooks";
import { inHundredths, techniquesOf } from "../../tuning/settings.ts";
import { DefaultsView } from "../measure/defaults-view.tsx";
import { place, setup } from "../state.ts";
import { entry } from "./mapping.ts";
import { withWeight } from "./places.ts";
import { PlainSettings } from "./plain-settings.tsx";
import { candidates, configured, searchWith, settingsOf, subqueries } from "./results.ts";
import { TemplateSettings } from "./template-settings.tsx";
import type { HybridVariant, Variant } from "./variant.ts";
import { subqueryTitle } from "./variants.ts";

interface Props<Kind extends Variant> {
  variant: Kind;
  onChange: (variant: Variant) => void;
}

/** The controls of a variant; none for a single subquery. */
export function VariantSettings({ variant, onChange }: Props<Variant>) {
  if (variant.kind === "subquery") return null;
  if (variant.kind === "plain") return <PlainSettings variant={variant} onChange={onChange} />;
  if (variant.kind === "template") return <TemplateSettings variant={variant} onChange={onChange} />;
  if (variant.kind === "hybrid") return <HybridSettings variant={variant} onChange={onChange} />;
  return (
    <details class="settings" open>
      <summary>Template</summary>
      <label>
        Name
        <input value={variant.name} onChange={(event) => onChange({ ...variant, name: event.currentTarget.value })} />
      </label>
      <label>
        Template of the search, with "[search_query]" for the text
        <textarea
          rows={10}
          spellcheck={false}
          value={variant.template}
          onChange={(event) => {
            const next = { ...variant, template: event.currentTarget.value };
            onChange(next);
            void searchWith(next);
          }}
        />
      </label>
    </details>
  );
}

function HybridSettings({ variant, onChange }: Props<HybridVariant>) {
  const group = useId();
  const all = subqueries.value;
  const { normalization, combination, ...rest } = settingsOf(variant);
  const weights = inHundredths(rest.weights, all.length);
  const version = candidates.value.value?.version;
  const techniques = techniquesOf(version ? capabilitiesOf(version) : { rrf: true, weightedRrf: true, zScore: true });
  const takesWeights = (name: string) => techniques.some((one) => one.combination === name && one.weighted);
  const isWeighted = takesWeights(combination);
  const change = (settings: Partial<NonNullable<HybridVariant["settings"]>>) => {
    const next = { weights, normalization, combination, ...settings };
    onChange({ ...variant, settings: takesWeights(next.combination) ? next : { ...next, weights: null } });
  };
  const combinations = [...new Set(techniques.map((one) => one.combination))];
  const normalizations = [
    ...new Set(techniques.filter((one) => one.combination === combination).map((one) => one.normalization)),
  ];
  return (
    <fieldset class="settings">
      <legend class="hidden">Settings of {variant.name}</legend>
      {all.map((subquery, index) => (
        <label key={subquery.name} class="slider" for={`${group}-${index}`}>
          <span>{subqueryTitle(subquery, all)}</span>
          <input
            id={`${group}-${index}`}
            type="range"
            min={0}
            max={1}
            step={0.05}
            disabled={!isWeighted}
            value={weights[index]}
            aria-label={`weight of ${subqueryTitle(subquery, all)} in ${variant.name}`}
            onInput={(event) => change({ weights: withWeight(weights, index, event.currentTarget.valueAsNumber) })}
          />
          <output>{(weights[index] ?? 0).toFixed(2)}</output>
        </label>
      ))}
      <label class="slider">
        <span>normalize</span>
        <select
          aria-label={`normalization of ${variant.name}`}
          value={normalization}
          disabled={COMBINATION_FACTS[combination].of === "ranks"}
          onChange={(event) => change({ normalization: event.currentTarget.value as typeof normalization })}
        >
          {normalizations.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="slider">
        <span>combine</span>
        <select
          aria-label={`combination of ${variant.name}`}
          value={combination}
          onChange={(event) => {
            const next = event.currentTarget.value as typeof combination;
            const fits = techniques.some((one) => one.combination === next && one.normalization === normalization);
            change({ combination: next, ...(!fits && { normalization: HYBRID_DEFAULTS.normalization }) });
          }}
        >
          {combinations.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {place.value.user !== "" && (
        <label class="slider">
          <span>{place.value.user}</span>
          <input
            type="range"
            min={0}
            max={1}
            step={0.1}
            value={variant.personal ?? 0}
            aria-label={`weight of the personal ranking in ${variant.name}`}
            onChange={(event) => {
              const { personal: _, ...others } = variant;
              const weight = event.currentTarget.valueAsNumber;
              const next: HybridVariant = weight === 0 ? others : { ...variant, personal: weight };
              onChange(next);
              void searchWith(next);
            }}
          />
          <output>{(variant.personal ?? 0).toFixed(1)}</output>
        </label>
      )}
      {variant.settings === null ? (
        <p class="note">As {configured.value.weights ? "configured for this index" : "the gateway does by default"}.</p>
      ) : (
        <>
          <button type="button" class="link" onClick={() => onChange({ ...variant, settings: null })}>
            Back to the defaults
          </button>
          {setup.value?.can.write && (
            <DefaultsView
              key={JSON.stringify(variant.settings)}
              index={place.value.index}
              defaults={{ ...variant.settings, candidates: entry.value?.candidates ?? HYBRID_DEFAULTS.candidates }}
            />
          )}
        </>
      )}
    </fieldset>
  );
}

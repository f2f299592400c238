import { searchWith, subqueries } from "./results.ts";
import type { PlainVariant, Variant } from "./variant.ts";
import { keywordFields } from "./variants.ts";

interface Props {
  variant: PlainVariant;
  onChange: (variant: Variant) => void;
}

/** How much each field of a keyword search counts, and what every hit must match. */
export function PlainSettings({ variant, onChange }: Props) {
  const change = (part: Partial<PlainVariant>) => {
    const next = { ...variant, ...part };
    onChange(next);
    void searchWith(next);
  };
  return (
    <fieldset class="settings">
      <legend class="hidden">Settings of {variant.name}</legend>
      {keywordFields(subqueries.value).map((field) => (
        <label key={field} class="slider">
          <span>{field}</span>
          <input
            type="number"
            min={0}
            max={100}
            step={0.5}
            value={variant.boosts[field] ?? 1}
            aria-label={`boost of ${field} in ${variant.name}`}
            onChange={({ currentTarget: { valueAsNumber } }) => {
              const boost = Number.isFinite(valueAsNumber) ? Math.max(0, valueAsNumber) : 1;
              change({ boosts: { ...variant.boosts, [field]: boost } });
            }}
          />
        </label>
      ))}
      <label>
        Only hits that match
        <input
          value={variant.filter}
          spellcheck={false}
          placeholder="category:history AND year:[2000 TO *]"
          onChange={(event) => change({ filter: event.currentTarget.value.trim() })}
        />
      </label>
    </fieldset>
  );
}

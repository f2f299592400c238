import { place, setup } from "../state.ts";
import { originText, templateNamed } from "./customers.ts";
import { searchWith } from "./results.ts";
import type { TemplateVariant, Variant } from "./variant.ts";

interface Props {
  variant: TemplateVariant;
  onChange: (variant: Variant) => void;
}

/** The template of a search, and values of its parameters, such as filters. */
export function TemplateSettings({ variant, onChange }: Props) {
  const { template, params, name } = variant;
  const change = (part: Partial<TemplateVariant>) => {
    const next = { ...variant, ...part };
    onChange(next);
    void searchWith(next);
  };
  const { parameters = [] } = templateNamed(template) ?? {};
  return (
    <fieldset class="settings">
      <legend class="hidden">Settings of {name}</legend>
      <label class="slider">
        <span>template</span>
        <select value={template} onChange={(event) => change({ template: event.currentTarget.value, params: {} })}>
          {(setup.value?.templates ?? []).map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      <p class="note">{originText(place.value.index, template)}</p>
      {parameters.length > 0 && (
        <details open={Object.keys(params).length > 0}>
          <summary>Parameters</summary>
          {parameters.map((parameter) => (
            <label key={parameter.name}>
              {parameter.name}
              {parameter.type?.endsWith("s") && " (values with commas)"}
              <input
                value={params[parameter.name] ?? ""}
                placeholder="default"
                spellcheck={false}
                onChange={({ currentTarget: { value } }) => {
                  const { [parameter.name]: _, ...others } = params;
                  change({ params: value.trim() === "" ? others : { ...others, [parameter.name]: value.trim() } });
                }}
              />
            </label>
          ))}
        </details>
      )}
    </fieldset>
  );
}

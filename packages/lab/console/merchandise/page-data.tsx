import { useState } from "preact/hooks";
import { Problem } from "../parts.tsx";
import { pageDataOf } from "./rule.ts";

/** JSON for the page, such as a banner. */
export function PageData({ data, onChange }: { data: unknown; onChange: (data: unknown) => void }) {
  const written = data === undefined ? "" : JSON.stringify(data, undefined, 2);
  const [typed, type] = useState<{ text: string; of: string; error: string } | null>(null);
  const own = typed?.of === written ? typed : undefined;
  const edit = (text: string) => {
    try {
      const parsed = pageDataOf(text);
      onChange(parsed);
      type({ text, of: parsed === undefined ? "" : JSON.stringify(parsed, undefined, 2), error: "" });
    } catch (error) {
      type({ text, of: written, error: `The page would not get this: ${(error as Error).message}` });
    }
  };
  return (
    <>
      <label>
        Banner for the page, or a JSON object
        <textarea
          rows={3}
          value={own?.text ?? written}
          placeholder='A week of red lamps, or {"banner": "A week of red lamps", "color": "red"}'
          onInput={(event) => edit(event.currentTarget.value)}
        />
      </label>
      <Problem text={own?.error ?? ""} />
    </>
  );
}

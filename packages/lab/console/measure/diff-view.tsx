import { diffOf } from "./diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** The lines of a file that change. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <pre class="diff">
      {diffOf(before, after).map(({ kind, text }, line) => (
        <span key={`${line}${kind}`} class={kind}>{`${SIGNS[kind]} ${text}\n`}</span>
      ))}
    </pre>
  );
}

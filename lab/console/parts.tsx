import { useState } from "preact/hooks";
import { curlOf, type ServiceCall } from "./curl.ts";
import { announce } from "./state.ts";

interface CurlProps {
  url: string;
  call: ServiceCall;
  title: string;
  /** Whether the title is shown, and not only read out. */
  isNamed?: boolean;
}

/** A call as a curl command, with a button that copies it. */
export function Curl({ url, call, title, isNamed = false }: CurlProps) {
  const [copied, copy] = useState(false);
  const text = curlOf(url, call);
  return (
    <details class="curl">
      <summary>
        curl<span class={isNamed ? "" : "hidden"}> of {title}</span>
      </summary>
      <pre>{text}</pre>
      <button
        type="button"
        onClick={async () => {
          await navigator.clipboard.writeText(text);
          copy(true);
          announce("Copied");
        }}
      >
        {copied ? "Copied" : "Copy as curl"}
      </button>
    </details>
  );
}

/** A problem, in the words of whoever had it. */
export function Problem({ text }: { text: string }) {
  return text === "" ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** Several problems, each said once. */
export function Problems({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {[...new Set(texts)].map((text) => (
        <Problem key={text} text={text} />
      ))}
    </>
  );
}

interface DrawingProps {
  svg: string;
  caption?: string;
  kind?: "chart" | "surface";
}

/** A drawing of lab/plots, which escapes every text in it. */
export function Drawing({ svg, caption, kind = "chart" }: DrawingProps) {
  return (
    <figure class={kind}>
      <div class="scroll" dangerouslySetInnerHTML={{ __html: svg }} />
      {caption !== undefined && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

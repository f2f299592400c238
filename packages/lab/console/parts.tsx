import { useEffect, useRef, useState } from "preact/hooks";
import { curlOf, type ServiceCall } from "./curl.ts";
import { announce, setup } from "./state.ts";

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

/** Lets the browser save a page of HTML. */
export function saveFile(name: string, html: string): void {
  const href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/** Returns the props of a text field that reports its text when the user has finished typing. Redrawing does not reset it. */
export function useTyped(value: string, onDone: (text: string) => void) {
  const [typed, type] = useState<string | null>(null);
  return {
    value: typed ?? value,
    onInput: (event: { currentTarget: HTMLInputElement }) => type(event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      type(null);
      onDone(event.currentTarget.value);
    },
    // Nothing changes if what is typed is what was there.
    onBlur: () => type(null),
  };
}

/** Moves the focus to the field where work begins: one with `data-first`, else the first one. */
export function focusFirst(within: Element | null | undefined): void {
  const fields = ["[data-first]", "input, select, textarea"].map((wanted) =>
    within?.querySelector<HTMLElement>(wanted),
  );
  fields.find((field) => field != null)?.focus();
}

/** Returns the ref of a form, into which the focus goes when it opens. */
export function useFocus() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirst(form.current), []);
  return form;
}

/** Describes an unconfigured feature, and the lines that turn it on. */
export function TurnOn({ what, file, lines }: { what: string; file: string; lines: string }) {
  return (
    <div class="empty">
      <p>
        {what} To turn it on, write into {file}:
      </p>
      <pre>{lines}</pre>
      <p>Then {setup.value?.local ? "restart `relevance dev`" : "run `relevance deploy` once"}.</p>
    </div>
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

/** Attributes of a scrollable part, so that the keyboard can scroll it. */
export const scrolls = { tabIndex: 0 } as const;

interface DrawingProps {
  svg: string;
  caption?: string;
  kind?: "chart" | "surface";
}

/** A drawing of lab/plots, which escapes every text in it. */
export function Drawing({ svg, caption, kind = "chart" }: DrawingProps) {
  return (
    <figure class={kind}>
      <div class="scroll" {...scrolls} dangerouslySetInnerHTML={{ __html: svg }} />
      {caption !== undefined && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

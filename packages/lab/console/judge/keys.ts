import { useLayoutEffect, useRef } from "preact/hooks";

/** Acts by key press, unless somebody types, or decides between raters. */
export function useKeys(acts: Readonly<Record<string, () => unknown>>): void {
  // The newest acts, so that one listener serves all of them.
  const latest = useRef(acts);
  latest.current = acts;
  // Before what the keys are for can be seen, so that no key is lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, select, textarea, .agreement") !== null;
      const act = latest.current[event.key];
      if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !act) return;
      event.preventDefault();
      void act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

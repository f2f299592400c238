import { folded, wordsIn } from "@relevance/lib/platform/words.ts";
import { useMemo } from "preact/hooks";

/** Characters of a hit's text that are shown beside its title. */
const SHORT = 180;
/** Characters before the first marked word. */
const BEFORE = 40;
/** Words with so few letters are in every text. */
const FEW_LETTERS = 3;

interface Props {
  text: string;
  query: string;
  /** Whether only the part around the first marked word is shown. */
  isShort?: boolean;
}

/** A text in which the words of the query are marked, also with another ending. Meaning has no words to mark. */
export function Marked({ text, query, isShort = false }: Props) {
  const [stems, parts] = useMemo(() => {
    const stems = stemsOf(query);
    return [stems, partsOf(isShort ? around(text, stems) : text)];
  }, [text, query, isShort]);
  return (
    <>
      {parts.map((part, index) => (index % 2 === 1 && isMarked(part, stems) ? <mark key={index}>{part}</mark> : part))}
    </>
  );
}

/** Splits a text so that every second part is a word. */
const partsOf = (text: string): string[] => {
  let last = 0;
  const parts = wordsIn(text).flatMap(({ start, end }) => {
    const before = text.slice(last, start);
    last = end;
    return [before, text.slice(start, end)];
  });
  return [...parts, text.slice(last)];
};
const wordsOf = (text: string): string[] => partsOf(text).filter((word, index) => index % 2 === 1 && isLong(word));
const isLong = (word: string): boolean => word.length > FEW_LETTERS || !/^[\x20-\x7e]*$/.test(word);
const stemOf = (word: string): string => folded(word).replace(/(?<=\w{3})(?:ing|ed|es|s)$/, "");
/** The stems of the last query, which every hit shares. */
let last = { query: "", stems: new Set<string>() };
function stemsOf(query: string): ReadonlySet<string> {
  if (last.query !== query) last = { query, stems: new Set(wordsOf(query).map(stemOf)) };
  return last.stems;
}
const isMarked = (word: string, stems: ReadonlySet<string>): boolean => isLong(word) && stems.has(stemOf(word));

/** Returns the part of a text around the first word of the query. */
export const snippetOf = (text: string, query: string): string => around(text, stemsOf(query));

function around(text: string, stems: ReadonlySet<string>): string {
  if (text.length <= SHORT) return text;
  const first = partsOf(text).find((part, index) => index % 2 === 1 && isMarked(part, stems));
  const found = first === undefined ? 0 : Math.max(0, text.indexOf(first) - BEFORE);
  const start = found === 0 ? 0 : text.indexOf(" ", found) + 1;
  const end = start + SHORT < text.length ? text.lastIndexOf(" ", start + SHORT) : text.length;
  const shown = text.slice(start, end > start ? end : start + SHORT);
  return `${start > 0 ? "… " : ""}${shown}${end < text.length ? " …" : ""}`;
}

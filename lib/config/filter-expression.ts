/** What a filter expression mentions. */
export interface FilterMentions {
  /** Placeholder names without the dollar sign, each once. */
  placeholders: string[];
  /** Fields such as `Items.CATEGORIES`, each once. */
  fields: string[];
}

/** Placeholders and fields of an expression; what is inside quotes is text. */
export function mentionsOf(expression: string): FilterMentions {
  const code = withoutText(expression);
  return {
    placeholders: unique(code.matchAll(/\$(\w+)/g), (match) => match[1]),
    fields: unique(code.matchAll(/\b(Items|Interactions|Users|CurrentUser)\.(\w+)/gi), (match) => match[0]),
  };
}

/** What is malformed in an expression: its quotes and placeholders. Its grammar is not looked at. */
export function expressionProblems(expression: string): string[] {
  if ((expression.match(/"/g) ?? []).length % 2 === 1) return ["has a quote that is not closed"];
  const problems: string[] = [];
  for (const [written, name = ""] of withoutText(expression).matchAll(/\$([^\s,()|]*)/g)) {
    if (/^[A-Za-z0-9_]{1,50}$/.test(name)) continue;
    problems.push(
      `has the malformed placeholder ${written}: a placeholder is $ and 1 to 50 letters, digits and underscores`,
    );
  }
  for (const [written] of expression.matchAll(/"\s*\$\w+\s*"/g)) {
    problems.push(`has the placeholder ${written} in quotes, where it is plain text: remove the quotes`);
  }
  const { placeholders } = mentionsOf(expression);
  if (placeholders.length > 25) problems.push(`has ${placeholders.length} placeholders: Personalize takes at most 25`);
  return problems;
}

function withoutText(expression: string): string {
  return expression.replace(/"[^"]*"/g, '""');
}

function unique(matches: Iterable<RegExpMatchArray>, pick: (match: RegExpMatchArray) => string | undefined): string[] {
  return [...new Set([...matches].flatMap((match) => pick(match) ?? []))];
}

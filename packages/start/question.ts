/** A question that one command-line option answers. */
export class Question extends Error {
  override name = "Question";
  readonly option: string;
  readonly choices: readonly string[];

  constructor(message: string, option: string, choices: readonly string[]) {
    super(message);
    this.option = option;
    this.choices = choices;
  }
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Returns whether a text is a finite decimal number, such as `-1.5` or `2e3`, and nothing else that Number() takes. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text) && Number.isFinite(Number(text));

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STATIC_MODEL_FILES } from "../static-model.ts";

/** Vectors of the tiny model's words, in half precision: 1, −1, 0.5 and 0. */
const [ONE, MINUS, HALF, ZERO] = [0x3c00, 0xbc00, 0x3800, 0];
const WORDS: Readonly<Record<string, number[]>> = {
  "▁car": [ONE, HALF, ZERO, ZERO],
  "▁auto": [ONE, ZERO, HALF, ZERO],
  "▁sea": [ZERO, MINUS, ZERO, ONE],
};

/** Writes a model of three words and four components, in the format of the small real model. */
export function writeSmallModel(folder: string): void {
  const vocab = new Map<string, number>([["<unk>", 0]]);
  const merges: string[] = [];
  const add = (token: string) => vocab.has(token) || vocab.set(token, vocab.size);
  for (const word of Object.keys(WORDS)) {
    const letters = [...word];
    for (const letter of letters) add(letter);
    for (let end = 2; end <= letters.length; end += 1) {
      add(letters.slice(0, end).join(""));
      merges.push(`${letters.slice(0, end - 1).join("")} ${letters[end - 1]}`);
    }
  }
  const rows = [...vocab.keys()].map((token) => WORDS[token] ?? [ZERO, ZERO, ZERO, ZERO]);
  const numbers = Buffer.from(Uint16Array.from(rows.flat()).buffer);
  const shape = [rows.length, 4];
  const header = Buffer.from(JSON.stringify({ w: { dtype: "F16", shape, data_offsets: [0, numbers.length] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const tokenizer = {
    added_tokens: [{ id: 0, content: "<unk>", special: true, normalized: false }],
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Prepend", prepend: "▁" },
        { type: "Replace", pattern: { String: " " }, content: "▁" },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: { type: "BPE", unk_token: "<unk>", byte_fallback: false, vocab: Object.fromEntries(vocab), merges },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, STATIC_MODEL_FILES.weights), Buffer.concat([length, header, numbers]));
  writeFileSync(join(folder, STATIC_MODEL_FILES.tokenizer), JSON.stringify(tokenizer));
}

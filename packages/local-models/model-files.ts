import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockOf, type ModelFiles } from "@relevance/lib/search/embeddings/model-files.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import { generateVocabulary, SPECIAL_IDS, type Vocabulary } from "./vocabulary.ts";

/** Longest piece of a word that is looked up as a whole. Longer words are split, because the lookup is quadratic. */
const LONGEST_WORD = 32;

/** A character has up to four bytes. A longer piece would become [UNK]. */
const LONGEST_WORD_BYTES = LONGEST_WORD * 4;

/**
 * Returns the stand-in's model files in the format of the real ones (a Hugging Face WordPiece tokenizer). It has one
 * more step than the real tokenizer: `ByteLevel` splits words into bytes, and the vocabulary contains every byte, so no
 * text is unknown.
 */
export function generatedModelFiles(vocabulary: Vocabulary = generateVocabulary()): ModelFiles {
  const token = (id: number) => vocabulary.tokens[id] ?? "";
  const special = (id: number) => ({ [token(id)]: { id: token(id), ids: [id], tokens: [token(id)] } });
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_IDS.map((id) => ({
      id,
      content: token(id),
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "BertPreTokenizer" },
        { type: "Split", pattern: { Regex: `.{1,${LONGEST_WORD}}` }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: { ...special(101), ...special(102) },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: LONGEST_WORD_BYTES,
      vocab: Object.fromEntries(vocabulary.tokens.map((text, id) => [text, id])),
    },
  };
  const config = {
    tokenizer_class: "BertTokenizer",
    do_lower_case: true,
    unk_token: "[UNK]",
    cls_token: "[CLS]",
    sep_token: "[SEP]",
    pad_token: "[PAD]",
    mask_token: "[MASK]",
    model_max_length: 512,
  };
  const json = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
  return {
    "tokenizer.json": json(tokenizer),
    "tokenizer_config.json": json(config),
    "idf.json": json(Object.fromEntries(vocabulary.weights)),
  };
}

/** Writes the generated model files to a folder, from which the local stack embeds queries. */
export async function generateModelFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    Object.entries(generatedModelFiles()).map(([name, content]) => writeFile(join(folder, name), content)),
  );
}

/** Does the same, and locks the files as if they were the real ones, so that they can be deployed. */
export async function generateLockedModelFiles({ folder, lockFile }: { folder: string; lockFile: string }) {
  await generateModelFiles(folder);
  const source = { repository: MODELS.sparse_v3.source, revision: "generated" };
  await writeFile(lockFile, `${JSON.stringify({ sparse_v3: lockOf(generatedModelFiles(), source) })}\n`);
}

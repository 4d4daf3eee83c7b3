import { applyEdits, type JSONPath, modify, type ParseError, parse } from "jsonc-parser/lib/esm/main.js";
import { UserFacingError } from "../../../contracts/errors.ts";
import { isJsonObject } from "../../../contracts/message.ts";
import type { KeyAction } from "./key-actions.ts";
import type { KeyContext } from "./keymap.ts";
import { parseKeys } from "./parse-keys.ts";

const EMPTY = '{\n  "bindings": []\n}\n';

export type KeyChange = {
  readonly context: KeyContext;
  readonly keys: string;
  /** The new action; null removes the default binding of the keys. If absent, the file does not mention the keys. */
  readonly action?: KeyAction | null;
};

/**
 * Applies a change to the text of a key bindings file. The rest of the text stays unchanged, including comments.
 * @throws {UserFacingError} the text is not a key bindings file.
 */
export function withKeyChange(text: string, { context, keys, action }: KeyChange): string {
  const whole = text.trim() === "" ? EMPTY : text;
  const blocks = blocksOf(whole);
  const places = blocks.flatMap((block, at) =>
    Object.keys(block.context === context ? block.bindings : {})
      .filter((written) => isSame(written, keys))
      .map((written): JSONPath => ["bindings", at, "bindings", written]),
  );
  if (action === undefined) return places.reduce((changed, place) => edited(changed, place, undefined), text);
  const last = places.at(-1);
  if (last) return edited(whole, last, action);
  const block = blocks.findLastIndex((one) => one.context === context);
  if (block >= 0) return edited(whole, ["bindings", block, "bindings", keys], action);
  return edited(whole, ["bindings", -1], { context, bindings: { [keys]: action } }, true);
}

type Block = { readonly context: unknown; readonly bindings: Readonly<Record<string, unknown>> };

function blocksOf(text: string): readonly Block[] {
  const errors: ParseError[] = [];
  const file: unknown = parse(text, errors, { allowTrailingComma: true });
  const list = isJsonObject(file) ? file["bindings"] : undefined;
  if (errors.length > 0 || !Array.isArray(list))
    throw new UserFacingError("The file of key bindings can't be changed: it is not valid. Fix it first.");
  return list.map((block: unknown) => {
    const { context, bindings } = isJsonObject(block) ? block : {};
    return { context, bindings: isJsonObject(bindings) ? bindings : {} };
  });
}

function isSame(written: string, keys: string): boolean {
  const parsed = parseKeys(written);
  return "keys" in parsed && parsed.keys === keys;
}

/** The file's own indentation is kept. */
function edited(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}

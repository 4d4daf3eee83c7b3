import { diffArrays } from "diff";

const TOKEN = /\r?\n|[^\S\r\n]+|[\p{L}\p{N}_]+|[^\s]/gu;
const MAX_EDIT_LENGTH = 2_000;

type TextChange = {
  /** The text that the model believed to be in the file. */
  readonly believed: string;
  readonly wanted: string;
  /** Returns the file's text for a section of `believed`. */
  readonly real: (start: number, end: number) => string;
  /** Adapts new text to the file's line ends. */
  readonly fit: (inserted: string) => string;
};

/** Writes `wanted` so that every part it shares with `believed` keeps the file's own text. */
export function keepFileText({ believed, wanted, real, fit }: TextChange): string {
  const before = tokens(believed);
  const after = tokens(wanted);
  const changes = diffArrays(before, after, { maxEditLength: MAX_EDIT_LENGTH }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const parts: string[] = [];
  let at = 0;
  for (const { value, added, removed } of changes) {
    const text = value.join("");
    if (added) parts.push(fit(text));
    else {
      if (!removed) parts.push(real(at, at + text.length));
      at += text.length;
    }
  }
  return parts.join("");
}

function tokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

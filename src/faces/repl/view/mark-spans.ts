/** Styles, links, and the erasing of a row's end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles and links begin with one.
const SEQUENCE = /\u001b\[(?:[\d;]*m|K)|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** A part of a line, in UTF-16 units of its text without styles. */
export type Span = { readonly from: number; readonly to: number };

/** A drawn line without its styles and links. */
export function unstyled(line: string): string {
  return line.replace(SEQUENCE, "");
}

/** Marks parts of a drawn line and keeps its styles. `spans`: in order, without overlaps. */
export function markSpans(line: string, spans: readonly Span[], mark: (text: string) => string): string {
  if (spans.length === 0) return line;
  const plain = unstyled(line);
  let shown = "";
  let at = 0;
  let removed = 0;
  const addPlain = (to: number) => {
    while (at < to) {
      const span = spans.find((one) => one.to > at);
      const isInside = span !== undefined && span.from <= at;
      const end = Math.min(to, span === undefined ? to : isInside ? span.to : span.from);
      shown += isInside ? mark(plain.slice(at, end)) : plain.slice(at, end);
      at = end;
    }
  };
  for (const { index, 0: sequence } of line.matchAll(SEQUENCE)) {
    addPlain(index - removed);
    shown += sequence;
    removed += sequence.length;
  }
  addPlain(plain.length);
  return shown;
}

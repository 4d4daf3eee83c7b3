/** Styles, links, and the erasing of a row's end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles and links begin with one.
const SEQUENCE = /\u001b\[(?:[\d;]*m|K)|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** A part of a line, in UTF-16 units of its text without styles. */
export type Span = { readonly from: number; readonly to: number };

/** A drawn line without its styles and links. */
export function unstyled(line: string): string {
  return line.replace(SEQUENCE, "");
}

/** The sequences of the colour and the weight (bold, dim) that are in effect; empty for the usual ones. */
export type OpenStyle = { readonly color: string; readonly weight: string; readonly hasBackground: boolean };

const USUAL: OpenStyle = { color: "", weight: "", hasBackground: false };
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const COLOR = /^\u001b\[(?:3[0-8]|9[0-7])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const BACKGROUND = /^\u001b\[(?:4[0-8]|10[0-7])/;

/** The style in effect after a sequence. */
function styleAfter(open: OpenStyle, sequence: string): OpenStyle {
  if (COLOR.test(sequence)) return { ...open, color: sequence };
  if (BACKGROUND.test(sequence)) return { ...open, hasBackground: true };
  switch (sequence) {
    case "\u001b[49m":
      return { ...open, hasBackground: false };
    case "\u001b[0m":
      return USUAL;
    case "\u001b[39m":
      return { ...open, color: "" };
    case "\u001b[1m":
    case "\u001b[2m":
      return { ...open, weight: open.weight + sequence };
    case "\u001b[22m":
      return { ...open, weight: "" };
    default:
      return open;
  }
}

/**
 * Marks parts of a drawn line and keeps its styles. `spans`: in order, without overlaps.
 * @param mark Gets the style in effect at the text too, for marks that end it.
 */
export function markSpans(
  line: string,
  spans: readonly Span[],
  mark: (text: string, open: OpenStyle) => string,
): string {
  if (spans.length === 0) return line;
  const plain = unstyled(line);
  let shown = "";
  let at = 0;
  let removed = 0;
  let open = USUAL;
  const addPlain = (to: number) => {
    while (at < to) {
      const span = spans.find((one) => one.to > at);
      const isInside = span !== undefined && span.from <= at;
      const end = Math.min(to, span === undefined ? to : isInside ? span.to : span.from);
      shown += isInside ? mark(plain.slice(at, end), open) : plain.slice(at, end);
      at = end;
    }
  };
  for (const { index, 0: sequence } of line.matchAll(SEQUENCE)) {
    addPlain(index - removed);
    shown += sequence;
    open = styleAfter(open, sequence);
    removed += sequence.length;
  }
  addPlain(plain.length);
  return shown;
}

// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about.
/*
 * Text from a model, tool or file must not control the terminal. Sequences are those of ECMA-48 (CSI, and the strings
 * OSC, DCS, SOS, PM, APC) in their 7-bit and 8-bit forms.
 */

const ESC = "\\u001b";
/**
 * A string sequence ends at BEL or ST. If a sequence never ends, only its introducer is removed. The body of a sequence
 * contains no introducer, so a text of many introducers is read once.
 */
const STRING_BODY = "[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)";
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])${STRING_BODY}`,
    `${ESC}[ -/]+[0-~]`,
    `${ESC}[0-~]`,
  ].join("|"),
  "g",
);
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const NEEDS_WORK =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/u;
/** Characters that reorder or hide text: embeddings, overrides, isolates, zero-width spaces. Joiners and plain direction marks stay. */
const DECEIVERS = /[\u200b\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** Tag characters are invisible; they have a meaning only after a black flag (flags of regions). */
const TAGS = /\u{1f3f4}[\u{e0020}-\u{e007f}]+|[\u{e0000}-\u{e007f}]/gu;

const TAB_COLUMNS = 4;

/** Removes ANSI sequences from a text: colours, cursor moves, titles, hyperlinks, clipboard writes. */
export function stripAnsi(text: string): string {
  return text.includes("\u001b") || /[\u0080-\u009f]/.test(text) ? text.replace(SEQUENCES, "") : text;
}

/**
 * Text that is safe to print: no sequence, no control character but the line feed; tabs become spaces; characters that
 * reorder or hide text are shown as `⟨U+202E⟩`; half a surrogate pair becomes U+FFFD. The result never moves the cursor
 * other than by a line feed.
 */
export function plainText(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  const lines = stripAnsi(text.toWellFormed())
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(CONTROLS, "");
  return expandTabs(showDeceivers(lines));
}

/** A text to paste elsewhere: tabs and every visible character stay, sequences and control characters do not. */
export function pasteableText(text: string): string {
  return stripAnsi(text.toWellFormed()).replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/**
 * Like `plainText`, but nothing is dropped: control characters are shown as `␛`, `␇` …. For text that a person must
 * judge, such as a command.
 */
export function revealText(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  const shown = text
    .toWellFormed()
    .replace(/\r\n/g, "\n")
    .replace(CONTROLS, picture)
    .replace(/[\u2028\u2029]/g, name);
  return expandTabs(showDeceivers(shown));
}

/** The visible result of a line overwritten by carriage returns, such as a progress bar. */
export function lastOverwrite(line: string): string {
  const parts = line.replace(/\r+$/, "").split("\r");
  return parts.at(-1) ?? "";
}

function showDeceivers(text: string): string {
  return text.replace(DECEIVERS, name).replace(TAGS, (found) => (found.startsWith("\u{1f3f4}") ? found : name(found)));
}

function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : name(control);
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  return text
    .split("\n")
    .map((line) => {
      if (!line.includes("\t")) return line;
      let shown = "";
      for (const [index, part] of line.split("\t").entries()) {
        if (index > 0) shown += " ".repeat(TAB_COLUMNS - (shown.length % TAB_COLUMNS));
        shown += part;
      }
      return shown;
    })
    .join("\n");
}

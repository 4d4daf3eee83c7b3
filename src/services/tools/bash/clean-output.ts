/**
 * Escape sequences of terminals (ECMA-48): CSI, strings (OSC, DCS and the like, when they end), then any other escape.
 * Each alternative is bounded, so the time is linear in the text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|\x1b[ -/]{0,4}[0-~]|\x1b/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const UNUSUAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CONTROLS = /[\x01-\x06\x08\x0b-\x1f\x7f-\x9f]/g;
/** A run of what can't be shown says no more than three of it. */
const LONG_JUNK = /\ufffd{4,}/g;

/**
 * Output as a person would see it in the end: colours and cursor movements removed, of a line that was written over with
 * `\r` its last state, backspaces applied, other control characters replaced. NUL is shown as `␀`.
 */
export function cleanOutput(text: string): string {
  const junkless = text.includes("\ufffd\ufffd\ufffd\ufffd") ? text.replace(LONG_JUNK, "\ufffd\ufffd\ufffd") : text;
  if (!UNUSUAL.test(junkless)) return junkless;
  const plain = junkless.replace(ESCAPES, "").replace(/\r+\n/g, "\n");
  const lines = plain.includes("\r") || plain.includes("\b") ? plain.split("\n").map(lastState).join("\n") : plain;
  return lines
    .replaceAll("\x00", "␀")
    .replaceAll("\x07", "")
    .replace(CONTROLS, "\ufffd")
    .replace(LONG_JUNK, "\ufffd\ufffd\ufffd");
}

function lastState(line: string): string {
  const written = line.includes("\r") ? (line.split("\r").findLast((part) => part.trim() !== "") ?? "") : line;
  return written.includes("\b") ? applyBackspaces(written) : written;
}

function applyBackspaces(line: string): string {
  const kept: string[] = [];
  for (const char of line) {
    if (char === "\b") kept.pop();
    else kept.push(char);
  }
  return kept.join("");
}

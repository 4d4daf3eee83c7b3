import { plainText } from "@quoll/terminal-text/plain-text";
import { padText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { FirstSteps } from "../../../contracts/first-steps.ts";
import type { Theme } from "./theme.ts";

const INDENT = "  ";
/** The width of the longest label (`Model`, `Look`, `Try`), and the gap after it. */
const LABEL_COLUMNS = 7;
/** In a narrower window, which is usually low too, the least useful line is omitted. */
const MIN_LOOK_COLUMNS = 60;

/** The first steps of a new person, below the welcome. */
export function firstStepLines({ model, look, tries }: FirstSteps, theme: Theme, columns: number): readonly string[] {
  const rows = [
    ["Model", [model]],
    ...(columns < MIN_LOOK_COLUMNS ? [] : ([["Look", [look]]] as const)),
    ["Try", tries.map((input) => `\`${input}\``)],
  ] as const;
  const room = columns - INDENT.length - LABEL_COLUMNS;
  return rows.flatMap(([label, texts]) =>
    texts
      .flatMap((text) => wrapText(withInputs(plainText(text), theme), room))
      .map((line, at) => INDENT + theme.dim(padText(at === 0 ? label : "", LABEL_COLUMNS)) + line),
  );
}

/** Text to type is between backticks; if there are colours, a colour replaces the backticks. */
function withInputs(text: string, theme: Theme): string {
  return text.replace(/`([^`]+)`/g, (whole, input: string) => (theme.level === 0 ? whole : theme.literal(input)));
}

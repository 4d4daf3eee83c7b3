import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { FirstSteps } from "../../../contracts/first-steps.ts";
import type { Theme } from "./theme.ts";

export type Welcome = { readonly version: string; readonly cwd: string; readonly first?: FirstSteps };

const HINTS = [
  "Say what you want done. / lists commands, ? shows keys, !cmd runs a command.",
  "/ lists commands, ? shows keys",
] as const;
const INDENT = "  ";
/** The longest of `Model`, `Look`, `Try`, and the gap after it. */
const LABEL_COLUMNS = 7;
/** A narrower window is low, too: the least useful line is left out. */
const MIN_LOOK_COLUMNS = 60;

/** The two lines at the start of a session, and below them the first steps of a new person. */
export function welcomeLines({ version, cwd, first }: Welcome, theme: Theme, columns: number): readonly string[] {
  const hint = HINTS.find((one) => textWidth(one) <= columns) ?? HINTS[1];
  return [
    truncateText(`${theme.accent("quoll")} ${theme.dim(`${version} · ${plainText(cwd)}`)}`, columns),
    truncateText(theme.dim(hint), columns),
    ...(first ? ["", ...stepLines(first, theme, columns)] : []),
  ];
}

function stepLines({ model, look, tries }: FirstSteps, theme: Theme, columns: number): readonly string[] {
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

/** What can be typed stands between backticks, and is shown in a colour instead of them where there are colours. */
function withInputs(text: string, theme: Theme): string {
  return text.replace(/`([^`]+)`/g, (whole, input: string) => (theme.level === 0 ? whole : theme.literal(input)));
}

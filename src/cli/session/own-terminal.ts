import type { ReplTerminal } from "../../faces/repl/repl-props.ts";
import { environment } from "../../platform/env.ts";
import { hasTerminalLinks } from "../../platform/terminal-links.ts";

/** The terminal of this process, as far as its variables describe it. */
export function ownTerminal(): ReplTerminal & { readonly isDumb: boolean } {
  const { stdin, stdout, stderr } = process;
  const variables = environment();
  const { TERM, COLORFGBG } = variables;
  return {
    ...{ stdin, stdout, stderr, isDumb: TERM === "dumb", hasLinks: hasTerminalLinks(variables) },
    ...{ asksColors: TERM !== "linux", colorFgBg: COLORFGBG },
  };
}

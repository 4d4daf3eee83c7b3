import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { yesNo } from "./yes-no.ts";

const BIND = "bind";

/** Shows what the terminal supports and how to type a new line. Writes a file only after a yes. */
export const terminalSetupCommand: Command = {
  name: "terminal-setup",
  summary: "Show what this terminal supports, and how to get shift+enter",
  argumentHint: `[${BIND}]`,
  interactive: true,
  needsNoServers: true,
  async run(argument, { terminal }) {
    const view = await terminal?.();
    if (!view) throw new UserFacingError("There is no terminal here.");
    const { name, lines, newLine, keysFile, bindKeys } = view;
    if (argument.trim() === BIND) {
      if (!bindKeys) throw new UserFacingError(`${name} needs no binding for a new line.`);
      return { kind: "text", lines: [await bindKeys()] };
    }
    const all = [name, ...lines.map((line) => `  ${line}`), "A new line:", ...newLine.map((line) => `  ${line}`)];
    if (keysFile === undefined) return { kind: "text", lines: all };
    return yesNo({
      title: `Bind shift+enter in ${keysFile}?`,
      before: all,
      yes: { label: "Yes, add the binding", input: `/terminal-setup ${BIND}` },
      lines: [`\`/terminal-setup ${BIND}\` adds the binding.`],
    });
  },
};

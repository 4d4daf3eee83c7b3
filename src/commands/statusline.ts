import { oneLine, revealedLine } from "@quoll/terminal-text/one-line";
import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { StatusLineState } from "../contracts/status-line.ts";
import template from "./statusline.md" with { type: "text" };

const MAX_COLUMNS = 200;

/** Shows which setting makes the person's own lines below the prompt, or lets an agent change the setting. */
export const statuslineCommand: Command = {
  name: "statusline",
  summary: "Show your status line, or have an agent set it up",
  argumentHint: "[what they should show]",
  interactive: true,
  needsNoServers: true,
  async run(argument, { statusLine }) {
    if (!statusLine) throw new UserFacingError("This screen shows no custom status line.");
    const state = await statusLine();
    const wish = argument.trim();
    if (wish === "") return { kind: "text", lines: stateLines(state) };
    const parts: Readonly<Record<string, string>> = { wish, settings: state.settingsFile, folder: state.folder };
    return {
      kind: "prompt",
      prompt: template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? "").trim(),
    };
  },
};

function stateLines({ source, lines, problems, settingsFile }: StatusLineState): readonly string[] {
  const set = source
    ? [`${source.type}: ${revealedLine(source.text, MAX_COLUMNS)}`, `set in ${oneLine(source.file, MAX_COLUMNS)}`]
    : ["No setting defines a custom status line."];
  const shown = source && lines.length === 0 ? ["The status line shows nothing at the moment."] : [];
  return [
    ...set,
    ...shown,
    ...problems,
    `/statusline and a few words have an agent set up a status line in ${oneLine(settingsFile, MAX_COLUMNS)}.`,
  ];
}

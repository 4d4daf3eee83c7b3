import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Editors } from "../contracts/machine-views.ts";

const KEY = "terminal.editor";
const RESET = "reset";

/** Chooses the editor for files and drafts. */
export const editorCommand: Command = {
  name: "editor",
  summary: "Choose the editor that opens drafts and files",
  argumentHint: `[command|${RESET}]`,
  interactive: true,
  needsNoServers: true,
  async run(argument, context) {
    const command = argument.trim();
    const known = await context.editors?.();
    const view = await context.settings?.();
    if (!known || !view) throw new UserFacingError("The variables VISUAL and EDITOR name the editor.");
    if (command === "") return list(known);
    const edit =
      command === RESET
        ? ({ what: "unset", key: KEY, scope: "user" } as const)
        : ({ what: "set", key: KEY, scope: "user", value: command, adds: false } as const);
    const { lines, warnings } = await view.edit(edit);
    return { kind: "text", lines: [...lines, ...warnings] };
  },
};

function list({ current, found }: Editors) {
  const now = current ? `${current.command}, by ${current.from}` : "none";
  const others = found.filter((command) => command !== current?.command);
  return {
    kind: "choose",
    title: `The editor: ${now}`,
    choices: [
      { label: "Leave it", detail: "", input: "" },
      ...others.map((command) => ({ label: command, detail: "installed", input: `/editor ${command}` })),
      { label: "Use $VISUAL or $EDITOR", detail: "", input: `/editor ${RESET}` },
    ],
    lines: [`The editor: ${now}. \`/editor <command>\` chooses another one.`],
  } as const;
}

import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { yesNo } from "./yes-no.ts";

const REMEMBER = "--remember";
const KEY = "permissions.additionalDirectories";

/** Lets the session work in one more folder, and after a yes also later sessions of this project. */
export const addDirCommand: Command = {
  name: "add-dir",
  summary: "Work in one more folder, in this session or always",
  argumentHint: "[folder]",
  takesFolder: true,
  interactive: true,
  needsNoServers: true,
  async run(argument, context) {
    const folders = await context.folders?.();
    if (!folders) throw new UserFacingError("Start quoll with --add-dir <folder> to work in one more folder.");
    const [, option, folder = ""] = /^(--remember(?:\s+|$))?([\s\S]*)$/.exec(argument.trim()) ?? [];
    if (folder === "") return { kind: "text", lines: [...folders.list(), "`/add-dir <folder>` adds a folder."] };
    if (option !== undefined) return remembered((await folders.add(folder)).path, context);
    const { path, isNew, lines } = await folders.add(unquoted(folder));
    if (!isNew || !context.settings) return { kind: "text", lines };
    return rememberQuestion(path, lines);
  },
};

/** A dragged folder may come in quotes. */
function unquoted(folder: string): string {
  return /^(["'])(.+)\1$/.exec(folder)?.[2] ?? folder;
}

function rememberQuestion(path: string, before: readonly string[]): CommandResult {
  return yesNo({
    title: "Also in later sessions of this project?",
    no: { label: "No, only now" },
    yes: { label: "Yes, write it into my settings for this project", input: `/add-dir ${REMEMBER} ${path}` },
    before,
    lines: [`\`/add-dir ${REMEMBER} ${path}\` also adds the folder in later sessions.`],
  });
}

async function remembered(path: string, { settings }: CommandContext): Promise<CommandResult> {
  const view = await settings?.();
  if (!view) throw new UserFacingError(`\`quoll config set ${KEY} <folder> --add\` in a shell saves the folder.`);
  const { lines, warnings } = await view.edit({ what: "set", key: KEY, scope: "own", value: path, adds: true });
  return { kind: "text", lines: [...lines, ...warnings] };
}

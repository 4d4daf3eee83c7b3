import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ExtensionsView, ListedExtension } from "../contracts/extension.ts";

const NONE =
  "There are no extensions. Extensions belong in ~/.config/quoll/extensions/, or in .quoll/extensions/ of a project.";

const RELOAD = "reload";

/** Lists the extensions, loads them again, and shows one with its parts and faults. */
export const extensionsCommand: Command = {
  name: "extensions",
  summary: "List extensions with their last faults, or load them again",
  argumentHint: "[extension|reload]",
  needsNoServers: true,
  async run(argument, context) {
    const { extensions } = context;
    if (!extensions) throw new UserFacingError("This session loads no extensions.");
    if (argument.trim() === RELOAD) return reload(context, extensions);
    const all = extensions.list();
    return argument.trim() === "" ? overview(all, extensions) : view(argument.trim(), all);
  },
};

/** Reopens the session, which asks about changed content as every start does. */
async function reload(
  { engine, sessions, reopen }: CommandContext,
  { canReload }: ExtensionsView,
): Promise<CommandResult> {
  if (!reopen || !canReload)
    throw new UserFacingError("Extensions can't be loaded again here: they are loaded at the next start of Quoll.");
  if (engine.state.busy)
    throw new UserFacingError("A turn is running: wait for it or press Esc, then load extensions.");
  const { sessionId } = engine.state;
  const isSaved = (await sessions.list()).some(({ id }) => id === sessionId);
  reopen(isSaved ? sessionId : undefined);
  return { kind: "text", lines: ["Loading the extensions again."] };
}

function overview(all: readonly ListedExtension[], { unapproved }: ExtensionsView): CommandResult {
  const waiting = [...new Set(unapproved())].map((line) => `Not approved, so left out: ${line}`);
  if (all.length === 0) return { kind: "text", lines: [NONE, ...waiting] };
  const choices = all.map((one) => ({
    label: one.name,
    detail: [one.origin, stateOf(one), ...one.faults.slice(0, 1).map((fault) => `✗ ${fault}`)].join(" · "),
    input: `/extensions ${one.file}`,
  }));
  const lines = choices.map(({ label, detail }) => `${label}  ${detail}`);
  return {
    kind: "choose",
    title: "Extensions",
    choices,
    ...(waiting.length > 0 && { after: waiting }),
    lines: [...lines, "/extensions <name> shows an extension, /extensions reload loads changed files."],
  };
}

function stateOf({ isOn, isUnapproved, adds }: ListedExtension): string {
  if (isUnapproved) return "not approved";
  return isOn ? adds.join("; ") || "adds nothing" : "off";
}

function view(wanted: string, all: readonly ListedExtension[]): CommandResult {
  const found = all.find(({ file }) => file === wanted) ?? all.find(({ name }) => name === wanted);
  if (!found) {
    const hint = didYouMean(
      wanted,
      all.map(({ name }) => name),
      "/extensions lists them.",
    );
    return { kind: "text", lines: [`There is no extension "${wanted}". ${hint}`] };
  }
  const { name, file, origin, isOn, isUnapproved, adds, faults } = found;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
  const lines = [
    `State: ${isUnapproved ? "not approved: Quoll asks again at the next start" : isOn ? "on" : "off"}`,
    `File: ${file} (${origin})`,
    ...section("Adds", adds),
    ...section("Faults in this session, the last one first", faults),
    "",
    "/extensions reload loads changed files.",
  ];
  return { kind: "view", title: `Extension ${name}`, lines };
}

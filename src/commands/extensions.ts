import type { Command, CommandResult } from "../contracts/command.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ExtensionsView, ListedExtension } from "../contracts/extension.ts";

const NONE =
  "There are no extensions. They belong into ~/.config/quoll/extensions/, or into .quoll/extensions/ of a project.";

/** Lists the extensions, and shows one with its parts and faults. */
export const extensionsCommand: Command = {
  name: "extensions",
  summary: "List extensions with their parts and last faults",
  argumentHint: "[extension]",
  needsNoServers: true,
  async run(argument, { extensions }) {
    if (!extensions) throw new UserFacingError("This session loads no extensions.");
    const all = extensions.list();
    return argument.trim() === "" ? overview(all, extensions) : view(argument.trim(), all);
  },
};

function overview(all: readonly ListedExtension[], { unapproved }: ExtensionsView): CommandResult {
  const waiting = unapproved().map((line) => `Not approved, so left out: ${line}`);
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
    ...(waiting.length > 0 && { before: waiting }),
    lines: [...lines, "/extensions <name> shows one."],
  };
}

function stateOf({ isOn, isUnapproved, adds }: ListedExtension): string {
  if (isUnapproved) return "not approved";
  return isOn ? adds.join("; ") || "adds nothing" : "off";
}

function view(wanted: string, all: readonly ListedExtension[]): CommandResult {
  const found = all.find(({ file }) => file === wanted) ?? all.find(({ name }) => name === wanted);
  if (!found) {
    const [nearest] = nearestNames(
      wanted,
      all.map(({ name }) => name),
      1,
    );
    const hint = nearest === undefined ? "/extensions lists them." : `Did you mean ${nearest}?`;
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
    "A changed file counts at the next start.",
  ];
  return { kind: "view", title: `Extension ${name}`, lines };
}

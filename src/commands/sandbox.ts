import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SandboxView } from "../contracts/machine-views.ts";
import { laterLine } from "./config-at-once.ts";
import { yesNo } from "./yes-no.ts";

const KEY = "sandbox.enabled";
const MARKS = { ok: "✓", note: "·", problem: "✗" } as const;

/** Shows how commands are confined, and switches that off or on after a yes. */
export const sandboxCommand: Command = {
  name: "sandbox",
  summary: "Show the sandbox of commands; switch it off or on",
  argumentHint: "[off|on]",
  interactive: true,
  needsNoServers: true,
  async run(argument, context) {
    const words = argument.trim();
    const view = await context.sandbox?.();
    if (!view) throw new UserFacingError("`quoll sandbox doctor` in a shell describes the sandbox.");
    if (words === "") return overview(view, context);
    const [, to, yes] = /^(off|on)(\s+--yes)?$/.exec(words) ?? [];
    if (to === undefined) throw new UserFacingError("Type /sandbox, /sandbox off or /sandbox on.");
    if (yes === undefined && to === "off") return question();
    return switched(to === "on", context);
  },
};

function overview({ findings, isSwitchedOff }: SandboxView, { permissions }: CommandContext): CommandResult {
  const lines = findings.map(
    ({ level, text, fix }) => `${MARKS[level]} ${text}${fix === undefined ? "" : ` → ${fix}`}`,
  );
  const { line, isGiven } = permissions.consent();
  const all = [...lines, line];
  return {
    kind: "choose",
    title: "Sandbox",
    before: all,
    choices: [
      { label: "Leave unchanged", detail: "", input: "" },
      ...(isGiven
        ? [{ label: "Ask about commands in the sandbox again", detail: "", input: "/permissions revoke sandbox" }]
        : []),
      isSwitchedOff
        ? { label: "Switch it on", detail: "from the next start", input: "/sandbox on" }
        : { label: "Switch it off …", detail: "in this project, from the next start", input: "/sandbox off" },
    ],
    lines: ["`/sandbox off` switches the sandbox off in this project, `/sandbox on` on."],
  };
}

function question(): CommandResult {
  return yesNo({
    title: "Run commands without the sandbox in this project? Commands can then change all your files.",
    no: { input: "/sandbox" },
    yes: { label: "Yes, from the next start", detail: "Quoll asks about commands", input: "/sandbox off --yes" },
    back: "/sandbox",
    lines: ["`/sandbox off --yes` switches the sandbox off."],
  });
}

async function switched(isOn: boolean, context: CommandContext): Promise<CommandResult> {
  const view = await context.settings?.();
  if (!view) throw new UserFacingError(`\`quoll config set ${KEY} ${isOn ? "auto" : "false"}\` in a shell does this.`);
  const value = isOn ? "auto" : "false";
  const { lines, warnings } = await view.edit({ what: "set", key: KEY, scope: "own", value, adds: false });
  return { kind: "text", lines: [...lines, ...warnings, await laterLine(KEY, context)] };
}

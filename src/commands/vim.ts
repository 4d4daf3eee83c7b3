import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";

/** Switches the prompt between shell keys and vim keys, also for later sessions. */
export const vimCommand: Command = {
  name: "vim",
  summary: "Switch the prompt to vim keys, or back",
  argumentHint: "[on|off]",
  interactive: true,
  needsNoServers: true,
  async run(argument, { editorModes }) {
    if (!editorModes) throw new UserFacingError("This screen has no prompt to edit.");
    const wanted = argument.trim().toLowerCase() || (editorModes.current === "vim" ? "off" : "on");
    if (wanted !== "on" && wanted !== "off") throw new UserFacingError("Use /vim, /vim on or /vim off.");
    await editorModes.choose(wanted === "on" ? "vim" : "plain");
    const line =
      wanted === "on" ? "The prompt has vim keys now: esc for normal mode." : "The prompt has no vim keys now.";
    return { kind: "text", lines: [line] };
  },
};

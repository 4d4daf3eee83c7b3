import { plural } from "@quoll/terminal-text/plural";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SessionExport } from "../contracts/session-actions.ts";

/** Puts the last answer, one of its code blocks or the whole conversation into the clipboard. */
export const copyCommand: Command = {
  name: "copy",
  summary: "Copy the last answer, one of its code blocks, or everything",
  argumentHint: "[number | all]",
  interactive: true,
  needsNoServers: true,
  async run(argument, context) {
    const exports = context.exports;
    if (!exports) throw new UserFacingError("This session has no conversation to copy.");
    const wanted = argument.trim().toLowerCase();
    if (wanted === "all") return whole(exports);
    const answer = await exports.lastAnswer();
    if (!answer) throw new UserFacingError("There is no answer to copy yet.");
    if (wanted === "") return copied("The last answer", answer.text);
    const number = /^\d{1,4}$/.test(wanted) ? Number(wanted) : 0;
    const block = answer.codeBlocks[number - 1];
    if (block !== undefined) return copied(`Code block ${number}`, block);
    const count = answer.codeBlocks.length;
    if (count === 0) throw new UserFacingError("The last answer has no code block. Use /copy or /copy all.");
    const numbers = count === 1 ? "/copy 1" : `/copy 1 to /copy ${count}`;
    throw new UserFacingError(
      `The last answer has ${plural(count, "code block")}. Use /copy, ${numbers}, or /copy all.`,
    );
  },
};

async function whole(exports: SessionExport): Promise<CommandResult> {
  const text = await exports.markdown();
  if (text === undefined) throw new UserFacingError("There is nothing to copy yet.");
  return copied("The whole conversation", text);
}

function copied(name: string, text: string): CommandResult {
  const lines = text.split("\n");
  return { kind: "copy", what: `${name} (${plural(lines.length, "line")})`, text, lines };
}

import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SideAnswer } from "../contracts/session-actions.ts";

const NO_MODEL = "There is no conversation here to ask about.";

/** Answers a question from the conversation, which keeps neither the question nor the answer. */
export const btwCommand: Command = {
  name: "btw",
  summary: "Ask beside the conversation, also while a turn runs",
  argumentHint: "<question>",
  needsNoServers: true,
  async run(argument, { sideQuestions }) {
    const question = argument.trim();
    if (!sideQuestions) throw new UserFacingError(NO_MODEL);
    if (question === "") throw new UserFacingError("Add the question: /btw <question>.");
    return answering("On the side", (signal) => sideQuestions.ask(question, signal));
  },
};

/** Tells in a few lines what was done so far; the conversation does not change. */
export const recapCommand: Command = {
  name: "recap",
  summary: "Summarise the work so far in five lines, for you alone",
  needsNoServers: true,
  async run(_argument, { sideQuestions }) {
    if (!sideQuestions) throw new UserFacingError(NO_MODEL);
    return answering("So far", (signal) => sideQuestions.recap(signal));
  },
};

function answering(title: string, ask: (signal: AbortSignal) => Promise<SideAnswer>): CommandResult {
  return {
    kind: "operation",
    title: "Asking the model",
    async run(_report, signal) {
      const { text, tokens, costUsd } = await ask(signal);
      const cost = costUsd === undefined ? "" : ` · ${formatUsd(costUsd)}`;
      return {
        kind: "view",
        title: `${title} · ${formatCount(tokens)} tokens${cost}`,
        lines: text.split("\n"),
        isMarkdown: true,
      };
    },
  };
}

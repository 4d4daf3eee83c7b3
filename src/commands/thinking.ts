import type { Command } from "../contracts/command.ts";
import { choiceInUse } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { thinkingWord } from "./model.ts";

const HINT = "on|off|default|<tokens>";
const TOKENS = /^\d{1,9}$/;
const VALUES: Readonly<Record<string, boolean | undefined>> = { on: true, off: false, default: undefined };

/** Sets thinking for the following requests; `default` leaves it to the model. */
export const thinkingCommand: Command = {
  name: "thinking",
  summary: "Switch the model's thinking on or off",
  argumentHint: "[on|off]",
  needsNoServers: true,
  async run(argument, { engine }) {
    const wanted = argument.trim().toLowerCase();
    const now = thinkingWord(engine.state.thinking);
    if (wanted === "") {
      const choices = Object.keys(VALUES).map((name) => choiceInUse(name, `/thinking ${name}`, now));
      const lines = [`Thinking is ${now}. \`/thinking ${HINT}\` changes it.`];
      return { kind: "choose", title: `Thinking of ${engine.state.model}`, choices, lines };
    }
    if (TOKENS.test(wanted)) {
      engine.setThinking(Number(wanted));
      return { kind: "text", lines: [`Thinking is now ${thinkingWord(engine.state.thinking)}.`] };
    }
    if (!Object.hasOwn(VALUES, wanted)) {
      throw new UserFacingError(`Thinking can't be "${wanted}": choose ${HINT}.`);
    }
    engine.setThinking(VALUES[wanted]);
    return { kind: "text", lines: [`Thinking is now ${wanted}.`] };
  },
};

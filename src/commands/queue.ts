import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command } from "../contracts/command.ts";
import { firstFew } from "../contracts/words.ts";

const MOST_LISTED = 20;
const MAX_TEXT_COLUMNS = 200;

/** With a text: queues the text for the next turn. Without a text: lists the queued inputs in their order. */
export const queueCommand: Command = {
  name: "queue",
  summary: "List the queued inputs, or add one",
  argumentHint: "[words]",
  interactive: true,
  async run(argument, { engine }) {
    const words = argument.trim();
    if (words !== "") {
      engine.enqueue({ prompt: words }, "next");
      return { kind: "text", lines: [] };
    }
    const { queue } = engine.state;
    if (queue.length === 0)
      return { kind: "text", lines: ["The queue is empty. Inputs that you enter during a turn wait here."] };
    const lines = queue.map(({ when, prompt }, at) => {
      const text = truncateText(prompt.slice(0, 1_000).replace(/\s*\n\s*/g, " ⏎ "), MAX_TEXT_COLUMNS);
      return `  ${String(at + 1).padStart(2)}  ${padText(when, 5)}  ${text}`;
    });
    return { kind: "text", lines: firstFew(lines, MOST_LISTED, (count) => `  … ${count} more`) };
  },
};

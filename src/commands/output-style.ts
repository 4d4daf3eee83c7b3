import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { DEFAULT_STYLE } from "../contracts/output-style.ts";

/** Lists the output styles, and chooses one for the sessions to come. */
export const outputStyleCommand: Command = {
  name: "output-style",
  summary: "Choose how the model writes, from the next session on",
  argumentHint: "[name]",
  async run(argument, { outputStyles }) {
    if (!outputStyles) throw new UserFacingError("This session has no output styles.");
    const wanted = argument.trim();
    if (wanted !== "") {
      await outputStyles.choose(wanted);
      const line = `The output style of this project is now ${wanted}. It counts from the next session on, because the prompt of a running one stays cached.`;
      return { kind: "text", lines: [line] };
    }
    const { current } = outputStyles;
    const own = { name: DEFAULT_STYLE, description: "Quoll's own way to write" };
    const choices = [own, ...(await outputStyles.list())].map(({ name, description }) => ({
      label: name,
      detail: name === current ? `in use${description === "" ? "" : ` · ${description}`}` : description,
      input: `/output-style ${name}`,
      ...(name === current && { isCurrent: true }),
    }));
    const lines = choices.map(({ label, detail }) => `${label}${detail === "" ? "" : `  ${detail}`}`);
    return { kind: "choose", title: "Output style", choices, lines: [...lines, "/output-style <name> chooses one."] };
  },
};

import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { DEFAULT_STYLE } from "../contracts/output-style.ts";

const OWN_FILES = "Your own: .quoll/output-styles/*.md in your home folder or in a trusted project.";

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
    const { current, chosen = current } = outputStyles;
    const own = { name: DEFAULT_STYLE, description: "Quoll's own way to write" };
    const styles = await outputStyles.list();
    const choices = [own, ...styles].map(({ name, description }) => ({
      label: name,
      detail: [...stateOf(name, current, chosen), description].filter((part) => part !== "").join(" · "),
      input: `/output-style ${name}`,
      ...(name === chosen && { isCurrent: true }),
    }));
    const lines = choices.map(({ label, detail }) => `${label}${detail === "" ? "" : `  ${detail}`}`);
    const list = { title: "Output style", choices, lines: [...lines, "/output-style <name> chooses one.", OWN_FILES] };
    return { kind: "choose", ...list };
  },
};

function stateOf(name: string, current: string, chosen: string): readonly string[] {
  if (name === current) return [chosen === current ? "in use" : "in use in this session"];
  return name === chosen ? ["chosen, from the next session on"] : [];
}

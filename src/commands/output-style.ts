import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { DEFAULT_STYLE } from "../contracts/output-style.ts";
import { continuing } from "./complete.ts";
import { resentLines } from "./model.ts";

const OWN_STYLE = "Quoll's own way to write";
const OWN_FILES = "Your own: .quoll/output-styles/*.md in your home folder or in a trusted project.";

/** Lists the output styles, and chooses one for this and later sessions of the project. */
export const outputStyleCommand: Command = {
  name: "output-style",
  summary: "Choose how the model writes",
  argumentHint: "[name]",
  needsNoServers: true,
  async complete(typed, { outputStyles }) {
    const styles = (await outputStyles?.list()) ?? [];
    return continuing(
      typed,
      [{ name: DEFAULT_STYLE, description: OWN_STYLE }, ...styles].map(({ name, description }) => ({
        value: name,
        summary: description,
      })),
    );
  },
  async run(argument, { outputStyles, engine }) {
    if (!outputStyles) throw new UserFacingError("This session has no output styles.");
    const wanted = argument.trim();
    if (wanted !== "") {
      const before = outputStyles.current;
      await outputStyles.choose(wanted);
      const { current } = outputStyles;
      const line = `The output style of this project is now ${current}.`;
      return { kind: "text", lines: [line, ...(current === before ? [] : resentLines(engine.state))] };
    }
    const { current } = outputStyles;
    const own = { name: DEFAULT_STYLE, description: OWN_STYLE };
    const styles = await outputStyles.list();
    const choices = [own, ...styles].map(({ name, description }) => ({
      label: name,
      detail: [name === current ? "in use" : "", description].filter((part) => part !== "").join(" · "),
      input: `/output-style ${name}`,
      ...(name === current && { isCurrent: true }),
    }));
    const lines = choices.map(({ label, detail }) => `${label}${detail === "" ? "" : `  ${detail}`}`);
    const list = { title: "Output style", choices, lines: [...lines, "/output-style <name> chooses one.", OWN_FILES] };
    return { kind: "choose", ...list };
  },
};

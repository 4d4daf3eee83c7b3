import type { Command, CommandContext } from "../../contracts/command.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { nearestNames } from "../../contracts/nearest.ts";
import type { FaceRow } from "./transcript/transcript.ts";
import { openPicker } from "./ui/picker-keys.ts";
import type { Completion, Picker } from "./ui/ui-state.ts";

/** What a command leaves on the screen: a row, a list to choose from, a line to be typed unseen, or nothing. */
export type CommandResult =
  | { readonly type: "row"; readonly row: FaceRow }
  | { readonly type: "picker"; readonly picker: Picker }
  | {
      readonly type: "hidden";
      readonly title: string;
      readonly asked: { readonly command: string } & Pick<AskHidden, "answer">;
    }
  | { readonly type: "nothing" };

type AskHidden = NonNullable<Awaited<ReturnType<Command["run"]>>["askHidden"]>;

/** The commands of this face, by name. */
export class SlashCommands {
  readonly #commands: readonly Command[];
  readonly #context: CommandContext;
  /** Nothing can be chosen from a list or typed unseen: commands answer in lines. */
  readonly #isPlain: boolean;
  /** As they are offered while their name is typed. */
  readonly completions: readonly Completion[];

  constructor(commands: readonly Command[], isPlain: boolean, context: CommandContext) {
    this.#commands = commands;
    this.#isPlain = isPlain;
    this.#context = context;
    // A completion that nobody sees would take the place of what was typed.
    const offered = isPlain ? [] : commands;
    this.completions = offered.map(({ name, summary, argumentHint = "" }) => ({ name, summary, argumentHint }));
  }

  /** Runs one. Never throws: what goes wrong is a row that says so. */
  async run(name: string, argument: string): Promise<CommandResult> {
    const command = this.#commands.find((one) => one.name === name.toLowerCase());
    if (!command) return problem(this.#unknown(name));
    try {
      const { lines, choose, askHidden } = await command.run(argument, this.#context);
      if (askHidden && !this.#isPlain) {
        const asked = { command: command.name, answer: askHidden.answer };
        return { type: "hidden", title: askHidden.title, asked };
      }
      if (choose && choose.choices.length > 0 && !this.#isPlain) return { type: "picker", picker: openPicker(choose) };
      if (lines.length === 0) return { type: "nothing" };
      return { type: "row", row: { kind: "answer", command: command.name, lines } };
    } catch (error) {
      return problem(errorMessage(error));
    }
  }

  #unknown(name: string): string {
    const near = nearestNames(
      name,
      this.#commands.map((command) => command.name),
    );
    const hint = near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(" or ")}?` : "/help lists them.";
    return `There is no command /${name}. ${hint}`;
  }
}

function problem(text: string): CommandResult {
  return { type: "row", row: { kind: "notice", level: "error", text } };
}

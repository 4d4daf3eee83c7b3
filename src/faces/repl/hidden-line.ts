import type { CommandAnswer } from "../../contracts/command.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { FaceRow } from "./transcript/transcript.ts";
import { openPicker } from "./ui/picker-keys.ts";
import type { Picker } from "./ui/ui-state.ts";

export type HiddenResult = {
  /** None when the person went back. */
  readonly rows: readonly FaceRow[];
  /** How to go on from there. */
  readonly picker?: Picker;
};

type Asked = {
  readonly command: string /** What was entered. */;
  readonly entered: string;
  answer(text: string): Promise<CommandAnswer>;
};

/** Who gets the line that is typed unseen: the command that asked last. The text goes there and nowhere else. */
export class HiddenLine {
  #asked: Asked | undefined;

  ask(asked: Asked): void {
    this.#asked = asked;
  }

  /** Gives the text to who asked; undefined when the person went back. @returns what is said of it, never the text. */
  async answer(text: string | undefined): Promise<HiddenResult> {
    const asked = this.#asked;
    this.#asked = undefined;
    if (text === undefined || !asked) return { rows: [] };
    const entered: FaceRow = { kind: "user", text: asked.entered };
    try {
      const { lines, choose } = await asked.answer(text);
      const answer: FaceRow = { kind: "answer", command: asked.command, lines };
      return { rows: [entered, answer], ...(choose && { picker: openPicker(choose) }) };
    } catch (error) {
      return { rows: [entered, { kind: "notice", level: "error", text: errorMessage(error) }] };
    }
  }
}

import type { CommandAnswer } from "../../contracts/command.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { FaceRow } from "./transcript/transcript.ts";

type Asked = { readonly command: string; answer(text: string): Promise<CommandAnswer> };

/** Who gets the line that is typed unseen: the command that asked last. The text goes there and nowhere else. */
export class HiddenLine {
  #asked: Asked | undefined;

  ask(asked: Asked): void {
    this.#asked = asked;
  }

  /** Gives the text to who asked; undefined when the person went back. @returns what is said of it, never the text. */
  async answer(text: string | undefined): Promise<FaceRow> {
    const asked = this.#asked;
    this.#asked = undefined;
    if (text === undefined || !asked) return { kind: "notice", level: "info", text: "nothing was saved" };
    try {
      const { lines } = await asked.answer(text);
      return { kind: "answer", command: asked.command, lines };
    } catch (error) {
      return { kind: "notice", level: "error", text: errorMessage(error) };
    }
  }
}

import type { Size } from "../../src/faces/repl/repl-screen-state.ts";
import type { Theme } from "../../src/faces/repl/view/theme.ts";
import { answerStates } from "./golden-answers.ts";
import { panelStates } from "./golden-panels.ts";
import { promptStates } from "./golden-prompts.ts";
import { questionStates } from "./golden-questions.ts";
import type { GoldenStage, Look } from "./golden-stage.ts";

/** The colours for a background that the terminal reported. */
export type BackedTheme = Theme & { readonly background: "dark" | "light" };

/** A state of the screen: what the terminal is, and what happens; or lines that are drawn before there is a session. */
export type GoldenState =
  | (Look & {
      readonly play: (here: GoldenStage) => unknown;
      /** What happens right before the frame, for what is shown a short time only. */
      readonly last?: (here: GoldenStage) => unknown;
    })
  | { readonly lines: (size: Size, theme: BackedTheme) => readonly string[] };

const backed: Readonly<Record<string, GoldenState>> = {
  ...answerStates,
  ...promptStates,
  ...questionStates,
  ...panelStates,
};

/** The same state in a terminal that never reports its background. */
function unreported(name: string, terminal: Look["terminal"] = {}): GoldenState {
  const state = backed[name];
  if (!state || "lines" in state) throw new Error(`There is no session in the state ${name}.`);
  return { ...state, terminal: { ...state.terminal, ...terminal, background: undefined } };
}

/** Every state of the REPL's screen that has golden frames, by its name. */
export const goldenStates: Readonly<Record<string, GoldenState>> = {
  ...backed,
  "unreported code": unreported("answer code"),
  "unreported edits": unreported("calls edits"),
  "unreported edits in 256 colours": unreported("calls edits", { colorLevel: 2 }),
  "unreported edits in 16 colours": unreported("calls edits", { colorLevel: 1 }),
  "unreported prompts": unreported("prompts long and wide"),
  "unreported question": unreported("question edit"),
};

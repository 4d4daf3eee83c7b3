import type { DecidedBy } from "./decided-by.ts";

/** How a call ended that gave no result of its own. */
export type CallEnd =
  /** `by` is absent in files of older versions. */
  | { readonly kind: "refused"; readonly by?: DecidedBy }
  /** The person interrupted the call, or the turn before the call ran. */
  | { readonly kind: "interrupted" }
  /** Nobody was there to answer the question of the call. */
  | { readonly kind: "unanswered" };

/** The content of a file that the model knows. `path`: absolute and resolved. `hash`: keyed, of the whole content. */
export type KnownContent = { readonly path: string; readonly hash: string };

/** The facts that a result tells Quoll besides its content; no provider gets these fields. */
export type ResultFacts = {
  readonly end?: CallEnd;
  /** Set if the result does not show all that was asked for: a `part`, or `nothing` but a note. */
  readonly shows?: "part" | "nothing";
  /** Set if the call wrote a `new` file, or a text that was `adapted`, not exactly that of its input. */
  readonly wrote?: "new" | "adapted";
  /** The folder to which the call moved the agent; absolute. */
  readonly movedTo?: string;
  /** The file with the whole text of a result that is shortened; absolute. */
  readonly wholeIn?: string;
  /** The file whose content the model knows after the call: a resumed session lets the model change it at once. */
  readonly knows?: KnownContent;
};

/** The facts of a result, without its other fields. */
export function factsOf({ end, shows, wrote, movedTo, wholeIn, knows }: ResultFacts): ResultFacts {
  return {
    ...(end && { end }),
    ...(shows && { shows }),
    ...(wrote && { wrote }),
    ...(movedTo !== undefined && { movedTo }),
    ...(wholeIn !== undefined && { wholeIn }),
    ...(knows && { knows }),
  };
}

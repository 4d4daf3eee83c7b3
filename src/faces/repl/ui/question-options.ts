import type { Reply } from "../../../contracts/permission.ts";
import { takenHunks } from "./hunk-marks.ts";
import type { Asking } from "./ui-state.ts";

export type QuestionOption = {
  /** The key that takes it. The same number means the same, whatever else is offered. */
  readonly key: string;
  readonly label: string;
  readonly isYes: boolean;
  readonly reply: Reply | "say why";
  /** What it would allow from then on, as rules. */
  readonly rules: readonly string[];
};

const NO_HUNK: Reply = { decision: "reject", message: "None of the changes was taken. Ask what is wanted instead." };

/** The answers to a question. */
export function questionOptions(asking: Pick<Asking, "question" | "marks">): readonly QuestionOption[] {
  const { question } = asking;
  const yes = (key: string, label: string, reply: Reply, rules: readonly string[] = []): QuestionOption => ({
    key,
    label,
    isYes: true,
    reply,
    rules,
  });
  const no = (key: string, label: string, reply: QuestionOption["reply"]): QuestionOption => ({
    key,
    label,
    isYes: false,
    reply,
    rules: [],
  });
  const session = yes("2", "this session", { decision: "session" }, question.sessionRules);
  const always = yes("3", "always", { decision: "always" }, question.suggestions);
  const refuse = no("4", "no", { decision: "reject" });
  const lasting = [session, always].filter(({ rules }) => rules.length > 0);
  switch (question.kind) {
    case "plan":
      return [
        yes("1", "yes", { decision: "once" }),
        yes("2", "yes, and accept edits", { decision: "session" }),
        no("3", "no, keep planning", "say why"),
      ];
    case "credential":
      return [yes("1", "once", { decision: "once" }), ...lasting, refuse];
    case "spend":
      return [
        yes("1", "this one request", { decision: "once" }),
        yes("2", "raise the cap", { decision: "session" }),
        no("4", "no, stop here", { decision: "reject" }),
      ];
    case "wait":
      return [yes("1", "wait", { decision: "once" }), no("4", "no, stop here", { decision: "reject" })];
    case "keep":
      return [yes("1", "keep", { decision: "once" }), no("4", "no, move aside", { decision: "reject" })];
    case "permission":
      return [...takingOptions(asking, yes, no, lasting), refuse, no("5", "no, and say why", "say why")];
  }
}

/** A part of a change can be taken now, not from now on. */
function takingOptions(
  { marks }: Pick<Asking, "marks">,
  yes: (key: string, label: string, reply: Reply) => QuestionOption,
  no: (key: string, label: string, reply: Reply) => QuestionOption,
  lasting: readonly QuestionOption[],
): readonly QuestionOption[] {
  if (!marks || marks.left.size === 0) return [yes("1", "once", { decision: "once" }), ...lasting];
  const hunks = takenHunks(marks);
  if (hunks.length === 0) return [no("1", "take none: no", NO_HUNK)];
  return [yes("1", `take ${hunks.length} of ${marks.count}`, { decision: "once", hunks })];
}

/** Where the cursor stands at first: never on a yes to what is dangerous or not understood. */
export function firstChoice({ question, marks }: Pick<Asking, "question" | "marks">): string {
  const { kind, preview, hazards } = question;
  // A cap was set to be kept: going over it is chosen, not slipped into.
  const isUnclear = kind === "spend" || (preview.kind === "command" && preview.unclear.length > 0);
  const options = questionOptions({ question, marks });
  const wanted = options.find(({ isYes }) => isYes === !(hazards.length > 0 || isUnclear));
  return wanted?.key ?? "1";
}

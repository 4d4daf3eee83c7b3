import type { CredentialBody, PermissionBody, Reply } from "../../../contracts/question.ts";
import { takenHunks } from "./hunk-marks.ts";
import type { Asking } from "./open-question.ts";

/** The effect of an answer: a reply, or a further step. */
export type OptionAction = Reply | "say why" | "choose how long" | "back";

export type QuestionOption = {
  /** The key of the answer: its position in the list, from 1. */
  readonly key: string;
  readonly label: string;
  readonly isYes: boolean;
  readonly reply: OptionAction;
  /** The rules that the answer would add. */
  readonly rules: readonly string[];
  /** The permissions that the answer would add, in words. */
  readonly words?: string;
};

type Option = Omit<QuestionOption, "key">;

/** The answers to a question, numbered without gaps. */
export function questionOptions(
  asking: Pick<Asking, "question" | "marks"> & Partial<Pick<Asking, "isChoosingTerm">>,
): readonly QuestionOption[] {
  const options = asking.isChoosingTerm ? termOptions(asking) : firstOptions(asking);
  return options.map((option, at) => ({ key: String(at + 1), ...option }));
}

function firstOptions(asking: Pick<Asking, "question" | "marks">): readonly Option[] {
  const { body } = asking.question;
  const refuse = no("no", { decision: "reject" });
  switch (body.kind) {
    case "plan":
      return [
        yes("yes", { decision: "once" }),
        yes("yes, and accept edits", { decision: "session" }),
        no("no, keep planning", "say why"),
      ];
    case "credential":
      return [yes("once", { decision: "once" }), ...lastingOptions(body), refuse];
    case "spend":
      return [
        yes("this one request", { decision: "once" }),
        yes("raise the cap", { decision: "session" }),
        no("no, stop here", { decision: "reject" }),
      ];
    case "wait":
      return [yes("wait", { decision: "once" }), no("no, stop here", { decision: "reject" })];
    case "keep":
      return [yes("keep", { decision: "once" }), no("no, move aside", { decision: "reject" })];
    case "gap":
      return [yes("run them", { decision: "once" }), no("no", { decision: "reject" })];
    case "port":
      return [yes("open", { decision: "once" }), refuse];
    case "content":
      return [yes("approve", { decision: "once" }), no(body.refusal ?? "leave it out", { decision: "reject" })];
    case "form":
      return body.choices.map(({ label, value, isYes, isTyped }) => {
        const reply = isTyped ? "say why" : ({ decision: "chosen", value } as const);
        return isYes ? yes(label, reply) : no(label, reply);
      });
    case "permission":
      return [...takingOptions(body, asking.marks), refuse, no("no, and say why", "say why")];
  }
}

function lastingOptions(body: PermissionBody | CredentialBody): readonly Option[] {
  const { preview } = body;
  const { sessionRules, suggestions, consent } =
    body.kind === "permission" ? body : { sessionRules: body.rules, suggestions: body.rules, consent: undefined };
  // The rules for a session may be wider than those of "always", for example cover every file of the project.
  const isWider = suggestions.length > 0 && sessionRules.some((rule) => !suggestions.includes(rule));
  const label = preview.kind === "command" && !isWider ? "this command, this session" : "this session";
  const session = { ...yes(label, { decision: "session" }), rules: sessionRules };
  const always = { ...yes("always", { decision: "always" }), rules: suggestions };
  const offer = consent === undefined ? [] : [{ ...yes("all confined commands", "choose how long"), words: consent }];
  return [...[session, always].filter(({ rules }) => rules.length > 0), ...offer];
}

/** Selected hunks can only be applied once, not remembered. */
function takingOptions(body: PermissionBody, marks: Asking["marks"]): readonly Option[] {
  if (!marks || marks.left.size === 0) return [yes("once", { decision: "once" }), ...lastingOptions(body)];
  const hunks = takenHunks(marks);
  if (hunks.length === 0) return [no("take none: no", { decision: "once", hunks: [] })];
  return [yes(`take ${hunks.length} of ${marks.count}`, { decision: "once", hunks })];
}

/** The answers about how long sandboxed commands need no question. */
function termOptions({ question: { body } }: Pick<Asking, "question">): readonly Option[] {
  const { consent = "" } = body.kind === "permission" ? body : {};
  return [
    { ...yes("this session", { decision: "confined", lasts: "session" }), words: consent },
    { ...yes("always in this project", { decision: "confined", lasts: "always" }), words: consent },
    no("back", "back"),
  ];
}

function yes(label: string, reply: OptionAction): Option {
  return { label, isYes: true, reply, rules: [] };
}

function no(label: string, reply: OptionAction): Option {
  return { label, isYes: false, reply, rules: [] };
}

/** The selected answer: never a yes to a preview that is not fully visible, unless the person selected it. */
export function standingChoice(asking: Asking, isSeen: boolean): string {
  if (isSeen || asking.isMoved) return asking.choice;
  const options = questionOptions(asking);
  const chosen = options.find(({ key }) => key === asking.choice);
  return (chosen?.isYes ? options.find(({ isYes }) => !isYes)?.key : undefined) ?? asking.choice;
}

/** The answer that is selected first: never a yes to a dangerous or unreadable command. */
export function firstChoice({ question, marks }: Pick<Asking, "question" | "marks">): string {
  const { kind, preview, hazards, isRisky = false } = question.body;
  // Exceeding a cap must be a deliberate choice.
  const isUnclear = kind === "spend" || (preview.kind === "command" && preview.unclear.length > 0);
  const options = questionOptions({ question, marks });
  const wanted = options.find(({ isYes }) => isYes === !(hazards !== undefined || isUnclear || isRisky));
  return wanted?.key ?? "1";
}

/** True for the typed words that mean yes. */
export function meansYes(text: string): boolean {
  return /^(?:y|yes|ok)$/i.test(text.trim());
}

/** The answer that a typed yes gives: the one that is selected first. Undefined where that is a no. */
export function typedYes(
  { question, marks, isChoosingTerm }: Pick<Asking, "question" | "marks" | "isChoosingTerm">,
  isSeen: boolean,
): QuestionOption | undefined {
  if (!isSeen || isChoosingTerm) return undefined;
  const key = firstChoice({ question, marks });
  return questionOptions({ question, marks }).find((option) => option.key === key && option.isYes);
}

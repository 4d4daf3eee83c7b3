import type { CredentialBody, DialogBody, DialogQuestion, PermissionBody, Reply } from "../../../contracts/question.ts";
import { takenHunks } from "./hunk-marks.ts";
import type { Asking } from "./open-question.ts";
import { rulesInWords } from "./rule-words.ts";

/** The effect of an answer: a reply, or a further step. */
export type OptionAction = Reply | "say why" | "choose how long" | "back";

export type QuestionOption = {
  /** The key of the answer: its position in the list, from 1. */
  readonly key: string;
  /** Names everything that the answer allows. */
  readonly label: string;
  /** A few words, for a low window; the rules are then listed beside. */
  readonly short: string;
  readonly isYes: boolean;
  readonly reply: OptionAction;
  /** The rules that the answer would add. */
  readonly rules: readonly string[];
  /** The same in words; empty without rules. */
  readonly grant: string;
};

type Option = Omit<QuestionOption, "key">;

/** The answers to a question, numbered without gaps. A wider grant never stands before a narrower one. */
export function questionOptions(
  asking: Pick<Asking, "question" | "marks"> & Partial<Pick<Asking, "isChoosingTerm">>,
): readonly QuestionOption[] {
  const options = asking.isChoosingTerm ? TERMS : firstOptions(asking);
  return options.map((option, at) => ({ key: String(at + 1), ...option }));
}

function firstOptions(asking: Pick<Asking, "question" | "marks">): readonly Option[] {
  const { body } = asking.question;
  switch (body.kind) {
    case "plan":
      return [
        yes("Yes", { decision: "once" }),
        yes("Yes, and accept edits", { decision: "session" }),
        no("No, and say what to change", "say why", "No"),
      ];
    case "credential":
      return credentialOptions(body);
    case "spend":
      return [
        yes("Yes, this one request", { decision: "once" }),
        yes("Yes, raise the cap", { decision: "session" }),
        no("No, stop here", { decision: "reject" }),
      ];
    case "wait":
      return [yes("Yes, wait", { decision: "once" }), no("No, stop here", { decision: "reject" })];
    case "keep":
      return [yes("Yes, keep", { decision: "once" }), no("No, move aside", { decision: "reject" })];
    case "gap":
      return [yes("Yes, run them", { decision: "once" }), no("No", { decision: "reject" })];
    case "port":
      return [yes("Yes, open it", { decision: "once" }), no("No", { decision: "reject" })];
    case "content":
      return [
        yes("Yes, approve", { decision: "once" }),
        no(body.refusal ?? "No, leave it out", { decision: "reject" }),
      ];
    case "form":
      return body.choices.map(({ label, value, isYes, isTyped }) => {
        const reply = isTyped ? "say why" : ({ decision: "chosen", value } as const);
        return isYes ? yes(label, reply) : no(label, reply);
      });
    case "permission":
      return [...takingOptions(body, asking.marks), no("No, and say what to do instead", "say why", "No")];
  }
}

/** A variable that outlives the command goes to every command. */
function credentialOptions({ rules }: CredentialBody): readonly Option[] {
  const names = rules.map((rule) => rule.replace(/^env\.pass: /, "")).join(" and ");
  const grant = `${names} for every command`;
  const lasting = [
    { ...yes(`Yes, ${grant} in this session`, { decision: "session" }, "This session"), rules, grant },
    { ...yes(`Yes, ${grant} in this project, always`, { decision: "always" }, "Always"), rules, grant },
  ];
  return [
    yes("Yes, for this command", { decision: "once" }),
    ...(rules.length > 0 ? lasting : []),
    no("No, not in this session", { decision: "reject" }),
  ];
}

function lastingOptions({ sessionRules, suggestions, consent, opensNetwork }: PermissionBody): readonly Option[] {
  const wordsOf = (rules: readonly string[]) => `${rulesInWords(rules)}${opensNetwork ? " with network access" : ""}`;
  const [passing, kept] = [wordsOf(sessionRules), wordsOf(suggestions)];
  const inSession = (words: string, rules: readonly string[], reply: Reply, short = "This session"): Option => ({
    ...yes(`Yes, and don't ask again for ${words} in this session`, reply, short),
    rules,
    grant: words,
  });
  const always: Option = {
    ...yes(`Yes, always for ${kept} in this project`, { decision: "always" }, "Always"),
    rules: suggestions,
    grant: kept,
  };
  // The rules for a session may be wider than those of "always", for example cover every file of the project.
  const isWider = suggestions.length > 0 && sessionRules.some((rule) => !suggestions.includes(rule));
  const lasting = isWider
    ? [
        // The same place in each question has the same length of time.
        inSession(kept, suggestions, { decision: "session", isNarrow: true }),
        always,
        inSession(passing, sessionRules, { decision: "session" }, "This session, wider"),
      ]
    : [inSession(passing, sessionRules, { decision: "session" }), always].filter(({ rules }) => rules.length > 0);
  const all = yes("Yes to every command that stays in the sandbox", "choose how long", "All in the sandbox");
  return [...lasting, ...(consent === undefined ? [] : [all])];
}

/** Selected parts of a change can only be applied once, not remembered. */
function takingOptions(body: PermissionBody, marks: Asking["marks"]): readonly Option[] {
  if (!marks || marks.left.size === 0) return [yes("Yes", { decision: "once" }), ...lastingOptions(body)];
  const hunks = takenHunks(marks);
  if (hunks.length === 0) return [no("No, none of it", { decision: "once", hunks: [] })];
  return [yes(`Yes, ${hunks.length} of ${marks.count} parts`, { decision: "once", hunks })];
}

/** The answers about how long sandboxed commands need no question. */
const TERMS: readonly Option[] = [
  yes("Yes, in this session", { decision: "confined", lasts: "session" }),
  yes("Yes, always in this project", { decision: "confined", lasts: "always" }),
  no("Back", "back"),
];

/** Tells what a yes of the second step allows. */
export function consentText(body: DialogBody): string {
  const scope = body.kind === "permission" ? (body.consent ?? "") : "";
  return `From now on, commands in the sandbox run without a question. ${scope}`;
}

function yes(label: string, reply: OptionAction, short = label): Option {
  return { label, short, isYes: true, reply, rules: [], grant: "" };
}

function no(label: string, reply: OptionAction, short = label): Option {
  return { label, short, isYes: false, reply, rules: [], grant: "" };
}

/** A reply with words for the model; undefined for an answer that takes none: a step, or a question about no call of the model. */
export function withWords(
  { body }: DialogQuestion,
  { isYes, reply }: QuestionOption,
  words: string,
): Reply | undefined {
  const isOfModel = (body.kind === "permission" && body.call.input === undefined) || body.kind === "plan";
  if (!isOfModel || !isYes || typeof reply === "string") return undefined;
  switch (reply.decision) {
    case "once":
    case "session":
    case "always":
    case "confined":
      return words === "" ? reply : { ...reply, message: words };
    default:
      return undefined;
  }
}

/** The selected answer: never a yes to a preview that is not fully visible, unless the person selected it. */
export function selectedChoice(asking: Asking, isSeen: boolean): string {
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

/** True if a yes would destroy something, run what nobody understands, or leave the sandbox or the project. */
export function isDangerous({ body }: DialogQuestion): boolean {
  const { preview, hazards, isRisky = false } = body;
  const isUnclear = preview.kind === "command" && preview.unclear.length > 0;
  return hazards !== undefined || isUnclear || isRisky || (body.kind === "permission" && body.isOutside === true);
}

/** True for the typed words that mean no. */
export function meansNo(text: string): boolean {
  return /^(?:n|no)$/i.test(text.trim());
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

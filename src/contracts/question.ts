import type { AgentSource } from "./agent.ts";
import type { Preview } from "./display.ts";

/** A question that waits for a person: who asks, and what. Every kind of question uses this one mechanism. */
export type Question = QuestionHead & { readonly body: QuestionBody };

export type QuestionHead = {
  readonly id: string;
  /** The agent that asks. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /** The name of the child agent that asks. */
  readonly agentLabel?: string;
  /** The action, as a short heading: "Run this command?". */
  readonly title: string;
};

/** A question that has no id yet; the `Asker` knows the agent. */
export type NewQuestion = Pick<Question, "title" | "body">;

/** The content of a question. Each kind carries only its own fields. */
export type QuestionBody = PermissionBody | PlanBody | CredentialBody | ConfirmBody | FormBody | ChoiceBody;

/** The body of a dialog with a preview and answers; the questions of a choice have their own dialog. */
export type DialogBody = Exclude<QuestionBody, ChoiceBody>;

export type DialogQuestion = QuestionHead & { readonly body: DialogBody };

/** The call that a question is about. */
export type QuestionCall = {
  readonly toolUseId: string;
  readonly toolName: string;
  /** The input of a call that the model did not make, because no event contains it. */
  readonly input?: unknown;
};

/** The parts that a dialog shows above the answers. */
type Shown = {
  readonly preview: Preview;
  /** The reasons for the question, as whole sentences: "You have not allowed it yet." */
  readonly reason: string;
  /** Plain-word dangers, most serious first; absent if there are none. */
  readonly hazards?: readonly string[];
  /** True if a yes affects more than the project or gives away a secret: "no" is then preselected. */
  readonly isRisky?: boolean;
};

/** May a call run? */
export type PermissionBody = Shown & {
  readonly kind: "permission";
  readonly call: QuestionCall;
  /** The dangers, grouped by command; absent if there is only one command. */
  readonly risks?: readonly CommandRisk[];
  /** Rules that "always" would write; empty when no useful narrow rule exists. */
  readonly suggestions: readonly string[];
  /** The rules that "this session" would add; empty if that answer is not offered. */
  readonly sessionRules: readonly string[];
  /**
   * The place where the call would run after a yes, in a few words ("outside the sandbox"); undefined without a
   * sandbox.
   */
  readonly confinement?: string;
  /** True if the call would run outside the sandbox. */
  readonly isOutside?: true;
  /** True if a yes opens the hosts that `confinement` names to the call. */
  readonly opensNetwork?: true;
  /** One or two sentences about what commands can do in the sandbox; absent outside it. */
  readonly reach?: string;
  /** True if nothing allows the call yet, and there is no other reason for the question. */
  readonly isUsual?: true;
  /**
   * The offer to run all sandboxed commands without a question: one or two sentences, made from the current policy,
   * about the powers of these commands. Absent if consent would not answer this question, or must not be offered.
   */
  readonly consent?: string;
};

/** May the plan be carried out? */
export type PlanBody = Shown & {
  readonly kind: "plan";
  readonly call: QuestionCall;
  /** The rules that a yes adds for this session. */
  readonly rules: readonly string[];
};

/** May commands get a withheld variable? */
export type CredentialBody = Shown & {
  readonly kind: "credential";
  readonly call: QuestionCall;
  /** The settings that an answer for the session, or for ever, adds. */
  readonly rules: readonly string[];
};

/**
 * `spend`: may the session exceed a cap, for one request (`once`) or by raising the cap (`session`)? `wait`: should
 * Quoll wait as long as a server asks? `keep`: should entries stay that appeared while a command ran in the sandbox?
 * `gap`: may commands run although the sandbox can't fully enforce a rule? `port`: should the port of a confined server
 * be opened to the person? `content`: does new or changed content of the project take effect?
 */
export type ConfirmBody = Shown & {
  readonly kind: "spend" | "wait" | "keep" | "gap" | "port" | "content";
  /** The words of the answer no, if it has another effect than usual. */
  readonly refusal?: string;
};

/** How does the person answer an MCP server? */
export type FormBody = Shown & {
  readonly kind: "form";
  readonly choices: readonly FormChoice[];
};

/** One answer; with `isTyped`, the person types the answer. */
export type FormChoice = {
  readonly value: string;
  readonly label: string;
  readonly isYes: boolean;
  readonly isTyped?: boolean;
  /** The initial text of the answer's line. */
  readonly prefill?: string;
};

/** The model asks the person to choose. */
export type ChoiceBody = {
  readonly kind: "choice";
  readonly call: QuestionCall;
  /** One to four, each with another text. */
  readonly questions: readonly ChoiceQuestion[];
};

export type ChoiceQuestion = {
  readonly question: string;
  /** At most twelve characters, for a tab. */
  readonly header: string;
  /** Two to four, each with another label. */
  readonly options: readonly ChoiceOption[];
  /** True if several options can be chosen. */
  readonly isMultiple: boolean;
};

export type ChoiceOption = {
  readonly label: string;
  readonly description: string;
  /** A text or a unified diff that is shown beside the options. */
  readonly preview?: string;
};

/** The chosen labels, and the person's own words; empty if the person left the question out. */
export type ChoiceAnswer = { readonly labels: readonly string[]; readonly words?: string };

/** @returns undefined for a question that is about no call. */
export function callOf({ body }: Question): QuestionCall | undefined {
  return "call" in body ? body.call : undefined;
}

/** The first question of the model; otherwise the title: "Run this command?". */
export function questionName({ title, body }: Question): string {
  const [first] = body.kind === "choice" ? body.questions : [];
  return first?.question ?? title;
}

/** The rules that the answer "this session" adds, or for a plan, each yes. */
export function sessionRulesOf(body: QuestionBody): readonly string[] {
  if ("sessionRules" in body) return body.sessionRules;
  return "rules" in body ? body.rules : [];
}

/** The data that one of several commands would destroy or publish. */
export type CommandRisk = {
  /** One line, safe to print; empty for dangers that belong to no single command. */
  readonly command: string;
  readonly risks: readonly string[];
};

/** `message`: words for the model that the person gave with a yes; the model gets them like a prompt of the running turn. */
type WithWords = { readonly message?: string };

export type Reply =
  | (WithWords & {
      readonly decision: "once";
      /** The indices of the accepted hunks of a diff. Undefined accepts all; an empty list denies the call. */
      readonly hunks?: readonly number[];
      /** An input from a program that drives Quoll, which replaces the model's; Quoll parses and checks it again. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
    })
  /**
   * For a plan: carry the plan out and accept edits. For a call: `isNarrow` adds only the rules that `always` would
   * keep, where those of a session are wider.
   */
  | (WithWords & { readonly decision: "session"; readonly isNarrow?: true })
  | (WithWords & { readonly decision: "always" })
  /** This call and, from now on, every command that stays in the sandbox: in this session, or always in this project. */
  | (WithWords & { readonly decision: "confined"; readonly lasts: "session" | "always" })
  /**
   * For a choice: one answer to each question, in their order. With `talk`, the person wants to talk about the questions
   * before answering the rest, in these words; they may be empty.
   */
  | { readonly decision: "answered"; readonly answers: readonly ChoiceAnswer[]; readonly talk?: string }
  /** For a form: the chosen value, or the typed text. */
  | { readonly decision: "chosen"; readonly value: string }
  | { readonly decision: "text"; readonly text: string }
  | {
      readonly decision: "reject";
      readonly message?: string;
      /** True if the reply ends the whole turn. */
      readonly endsTurn?: boolean;
    };

/** The words that a person gave with a yes. */
export function wordsWithYes(reply: Reply): string | undefined {
  if (reply.decision === "reject" || !("message" in reply)) return undefined;
  const words = reply.message?.trim();
  return words === "" ? undefined : words;
}

/** A person's answer to a question about a call, in the form that the row of the call shows. */
export type AnswerNote =
  /** `reason`: the person's own words. */
  | { readonly kind: "refused"; readonly preview: Preview; readonly reason?: string }
  | { readonly kind: "part"; readonly taken: number; readonly of: number };

/** @returns undefined for a plain yes. */
export function answerNote({ body }: Question, reply: Reply): AnswerNote | undefined {
  if (body.kind === "choice") return undefined;
  const { preview } = body;
  if (reply.decision === "reject") {
    const { message: reason } = reply;
    return { kind: "refused", preview, ...(reason !== undefined && { reason }) };
  }
  if (reply.decision !== "once" || !reply.hunks || preview.kind !== "diff") return undefined;
  const taken = reply.hunks.length;
  return taken === 0 ? { kind: "refused", preview } : { kind: "part", taken, of: preview.hunks.length };
}

/** `reply` is absent if nobody replied, because the question was withdrawn. */
export type QuestionChange =
  | { readonly type: "asked"; readonly question: Question }
  | { readonly type: "settled"; readonly question: Question; readonly reply?: Reply };

/**
 * Answers a question with `Questions.reply`, or leaves it to others. `signal` aborts when the question is settled. A
 * failure counts as a rejection of the question.
 */
export type Answerer = (question: Question, signal: AbortSignal) => Promise<void>;

/** Questions and their answers. The first reply to a question wins; an abort counts as a rejection. */
export interface Questions {
  readonly pending: readonly Question[];
  /** @returns false when the question is unknown or already answered. */
  reply(id: string, reply: Reply): boolean;
  /** Gives an answerer each open question, and each later one. @returns the function with which the answerer leaves. */
  answerWith(answer: Answerer): () => void;
  /** Called whenever `pending` changes. @returns the function that ends the subscription. */
  subscribe(listener: (change: QuestionChange) => void): () => void;
}

/** The agent for which a question is asked. */
export type AskingAgent = Pick<AgentSource, "agentId" | "parentAgentId" | "label">;

/** The questions of a session, for those who ask. */
export interface QuestionDesk extends Questions {
  /** Waits for the answer. Never rejects. */
  ask(question: Question, signal: AbortSignal): Promise<Reply>;
  /**
   * The port through which a service asks its own questions, by default for the session's own agent. If nobody can
   * answer, each question is rejected at once.
   */
  asker(agent?: AskingAgent): Asker;
  /** Like `asker`, for questions that only a person at the terminal may answer. */
  personAsker(agent?: AskingAgent): Asker;
}

/** Asks a person. Services with their own questions (a plan, a credential) get an `Asker`. */
export interface Asker {
  /** False if no person can answer. */
  readonly canAsk: boolean;
  /** Never throws: an abort, or the absence of a person, counts as the answer "no". */
  ask(question: NewQuestion, signal: AbortSignal): Promise<Reply>;
}

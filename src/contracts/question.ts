import type { Preview } from "./display.ts";

/** A question that waits for a person. Every kind of question uses this one mechanism. */
export type Question = {
  readonly id: string;
  /** The agent that asks. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /** The name of the child agent that asks. */
  readonly agentLabel?: string;
  /**
   * `plan`: may the plan be carried out? `credential`: may commands get a withheld variable? `spend`: may the session
   * exceed a cap, for one request (`once`) or by raising the cap (`session`)? `wait`: should Quoll wait as long as a
   * server asks? `keep`: should entries stay that appeared while a command ran in the sandbox? `gap`: may commands run
   * although the sandbox can't fully enforce a rule? `port`: should the port of a confined server be opened to the
   * person? `server`: how does the person answer an MCP server? `content`: does new or changed content of the project
   * take effect?
   */
  readonly kind:
    | "permission"
    | "plan"
    | "credential"
    | "spend"
    | "wait"
    | "keep"
    | "gap"
    | "port"
    | "server"
    | "content";
  readonly toolUseId: string;
  readonly toolName: string;
  /** The input of a call that the model did not make, because no event contains it. */
  readonly input?: unknown;
  /** The action, as a short heading: "Run this command?". */
  readonly title: string;
  readonly preview: Preview;
  /** The reasons for the question, as whole sentences: "No rule allows it." */
  readonly reason: string;
  /** Plain-word dangers, most serious first. */
  readonly hazards: readonly string[];
  /** The same dangers, grouped by command; absent if there is only one command. */
  readonly risks?: readonly CommandRisk[];
  /** True if a yes affects more than the project or gives away a secret: "no" is then preselected. */
  readonly isRisky?: boolean;
  /** Rules that "always" would write; empty when no useful narrow rule exists. */
  readonly suggestions: readonly string[];
  /** The rules that "this session" would add; empty if that answer is not offered. */
  readonly sessionRules: readonly string[];
  /**
   * The place where the call would run after a yes, in a few words ("outside the sandbox"); undefined without a
   * sandbox.
   */
  readonly confinement?: string;
  /**
   * The offer to run all sandboxed commands without a question: one or two sentences, made from the current policy,
   * about the powers of these commands. Absent if consent would not answer this question, or must not be offered.
   */
  readonly consent?: string;
  /** The words of the answer no, if it has another effect than usual. */
  readonly refusal?: string;
  /** The answers to a question of kind `server`. */
  readonly choices?: readonly QuestionChoice[];
};

/** One answer; with `isTyped`, the person types the answer. */
export type QuestionChoice = {
  readonly value: string;
  readonly label: string;
  readonly isYes: boolean;
  readonly isTyped?: boolean;
  /** The initial text of the answer's line. */
  readonly prefill?: string;
};

/** A question that has no id yet, and the agent that asks it. */
export type NewQuestion = Omit<Question, "id" | "agentId" | "parentAgentId" | "agentLabel">;

/** The data that one of several commands would destroy or publish. */
export type CommandRisk = {
  /** One line, safe to print; empty for dangers that belong to no single command. */
  readonly command: string;
  readonly risks: readonly string[];
};

export type Reply =
  | {
      readonly decision: "once";
      /** The indices of the accepted hunks of a diff. Undefined accepts all; an empty list denies the call. */
      readonly hunks?: readonly number[];
      /** An input from a program that drives Quoll, which replaces the model's; Quoll parses and checks it again. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
    }
  /** For a plan: carry the plan out and accept edits. */
  | { readonly decision: "session" }
  | { readonly decision: "always" }
  /** This call and, from now on, every command that stays in the sandbox: in this session, or always in this project. */
  | { readonly decision: "confined"; readonly lasts: "session" | "always" }
  /** For a question with choices: the chosen value, or the typed text. */
  | { readonly decision: "chosen"; readonly value: string }
  | { readonly decision: "text"; readonly text: string }
  | {
      readonly decision: "reject";
      readonly message?: string;
      /** True if the reply ends the whole turn. */
      readonly endsTurn?: boolean;
    };

/** A person's answer to a question about a call, in the form that the row of the call shows. */
export type AnswerNote =
  /** `reason`: the person's own words. */
  | { readonly kind: "refused"; readonly preview: Preview; readonly reason?: string }
  | { readonly kind: "part"; readonly taken: number; readonly of: number };

/** @returns undefined for a plain yes. */
export function answerNote({ preview }: Question, reply: Reply): AnswerNote | undefined {
  if (reply.decision === "reject") {
    const { message: reason } = reply;
    return { kind: "refused", preview, ...(reason !== undefined && { reason }) };
  }
  if (reply.decision !== "once" || !reply.hunks || preview.kind !== "diff") return undefined;
  const taken = reply.hunks.length;
  return taken === 0 ? { kind: "refused", preview } : { kind: "part", taken, of: preview.hunks.length };
}

/** Questions and their answers. The first reply to a question wins; an abort counts as a rejection. */
export interface Questions {
  readonly pending: readonly Question[];
  /** @returns false when the question is unknown or already answered. */
  reply(id: string, reply: Reply): boolean;
  /** Called whenever `pending` changes. @returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** Asks a person. Services with their own questions (a plan, a credential) get an `Asker`. */
export interface Asker {
  /** False if no person can answer. */
  readonly canAsk: boolean;
  /** Never throws: an abort, or the absence of a person, counts as the answer "no". */
  ask(question: NewQuestion, signal: AbortSignal): Promise<Reply>;
}

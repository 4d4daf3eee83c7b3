import type { Preview } from "./display.ts";

/** A question that waits for a person. Every kind of question goes through this one mechanism. */
export type Question = {
  readonly id: string;
  /** The agent that asks. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /**
   * `plan`: whether a plan may be carried out. `credential`: whether commands may have a withheld variable. `spend`: whether
   * more than a cap may be spent, for one request (`once`) or by raising the cap in this session (`session`). `wait`: whether
   * to wait as long as a server asks. `keep`: whether entries stay that appeared while a command ran in the sandbox.
   * `gap`: whether commands run though a rule can't be carried out in full. `port`: whether a confined server is opened to the
   * person.
   */
  readonly kind: "permission" | "plan" | "credential" | "spend" | "wait" | "keep" | "gap" | "port";
  readonly toolUseId: string;
  readonly toolName: string;
  /** The action, as a short heading: "Run this command?". */
  readonly title: string;
  readonly preview: Preview;
  /** Why it asks, as whole sentences: "No rule allows it." */
  readonly reason: string;
  /** Plain-word dangers, most serious first. */
  readonly hazards: readonly string[];
  /** The same dangers by command; absent where there is but one command. */
  readonly risks?: readonly CommandRisk[];
  /** True where a yes reaches beyond the project or hands out a secret: then the mark stands on no. */
  readonly isRisky?: boolean;
  /** Rules that "always" would write; empty when no useful narrow rule exists. */
  readonly suggestions: readonly string[];
  /** The rules that "this session" would add; empty if that answer is not offered. */
  readonly sessionRules: readonly string[];
  /** Where it would run after a yes, in a few words ("outside the sandbox"); undefined where there is no sandbox. */
  readonly confinement?: string;
  /**
   * The offer to run all sandboxed commands without a question: one or two sentences, made from the current policy, about the
   * powers of these commands. Absent where accepting would not answer this question, or must not be offered.
   */
  readonly consent?: string;
};

/** A question before it has an id, and an agent that asks it. */
export type NewQuestion = Omit<Question, "id" | "agentId" | "parentAgentId">;

/** The data that one of several commands would destroy or publish. */
export type CommandRisk = {
  /** One line, safe to print; empty for what belongs to no command alone. */
  readonly command: string;
  readonly risks: readonly string[];
};

export type Reply =
  | {
      readonly decision: "once";
      /** The indices of the accepted hunks of a diff. Undefined accepts all; an empty list denies the call. */
      readonly hunks?: readonly number[];
      /** Another input in place of the model's (a program that drives us may say so); it is prepared and judged again. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
    }
  /** For a plan: carry it out with edits accepted. */
  | { readonly decision: "session" }
  | { readonly decision: "always" }
  /** This call and, from now on, every command that stays in the sandbox: in this session, or always in this project. */
  | { readonly decision: "confined"; readonly lasts: "session" | "always" }
  | {
      readonly decision: "reject";
      readonly message?: string;
      /** The whole turn ends with it. */
      readonly endsTurn?: boolean;
    };

/** An answer of a person's to a question about a call, as far as the row of the call shows it. */
export type AnswerNote =
  /** `reason`: their own words. */
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
  /** False when nobody is there to answer. */
  readonly canAsk: boolean;
  /** Never rejects: an abort, or nobody there, counts as a rejection. */
  ask(question: NewQuestion, signal: AbortSignal): Promise<Reply>;
}

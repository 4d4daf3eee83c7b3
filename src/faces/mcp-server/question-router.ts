import {
  type ElicitRequestFormParams,
  ElicitRequestFormParamsSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import type { Question, Questions } from "../../contracts/question.ts";
import { questionForm, replyOf } from "./question-form.ts";

/** A request of the client, through which questions about it are asked. */
export type AskingRequest = {
  /** The id of the call, or of the agent that works for the request. */
  readonly id: string;
  readonly signal: AbortSignal;
  elicit(form: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
  /** Called if the client closed the question without an answer, perhaps because nobody saw it. */
  closed(question: Question): void;
};

const DECLINED = { action: "decline", content: undefined } as const;

/** Asks the client about the calls that it requested, each question through the request that caused it. */
export class QuestionRouter {
  readonly #questions: Questions;
  readonly #open = new Map<string, AskingRequest>();
  readonly #asking = new Map<string, AbortController>();
  readonly #unsubscribe: () => void;

  constructor(questions: Questions) {
    this.#questions = questions;
    this.#unsubscribe = questions.subscribe(() => this.#compare());
  }

  /** Asks questions of `request` until the returned function is called. */
  open(request: AskingRequest): () => void {
    this.#open.set(request.id, request);
    return () => void this.#open.delete(request.id);
  }

  /**
   * Passes on a form of an MCP server behind us. It belongs to no call of its own: the newest request asks it, and without
   * one it is declined. A page is declined, because the client may not open it.
   */
  async forward({ server, message, mode, requestedSchema }: McpElicitation, signal: AbortSignal) {
    const request = [...this.#open.values()].at(-1);
    const form = ElicitRequestFormParamsSchema.safeParse({
      message: `The MCP server ${server} asks: ${message}`,
      requestedSchema: requestedSchema ?? { type: "object", properties: {} },
    });
    if (!request || mode !== "form" || !form.success) return DECLINED;
    const ends = AbortSignal.any([signal, request.signal]);
    const answer = await request.elicit(form.data, ends).catch(() => DECLINED);
    const { action } = answer;
    const reply: McpElicitationReply =
      action === "accept" ? { action, ...(answer.content && { content: answer.content }) } : { action };
    return reply;
  }

  close(): void {
    this.#unsubscribe();
    for (const asking of this.#asking.values()) asking.abort(new Error("The connection is closed."));
  }

  #compare(): void {
    const { pending } = this.#questions;
    for (const [id, asking] of this.#asking) {
      if (!pending.some((question) => question.id === id)) asking.abort(new Error("The question is settled."));
    }
    for (const question of pending) if (!this.#asking.has(question.id)) void this.#ask(question);
  }

  async #ask(question: Question): Promise<void> {
    const asking = new AbortController();
    this.#asking.set(question.id, asking);
    try {
      const request = this.#requestOf(question);
      if (!request) return void this.#questions.reply(question.id, { decision: "reject" });
      const form = questionForm(question);
      const answer = await request.elicit(form, AbortSignal.any([asking.signal, request.signal]));
      if (answer.action === "cancel") request.closed(question);
      this.#questions.reply(question.id, replyOf(answer, form));
    } catch (error) {
      const message = `The question about this call got no answer: ${errorMessage(error)}.`;
      this.#questions.reply(question.id, { decision: "reject", message });
    } finally {
      this.#asking.delete(question.id);
    }
  }

  /** A question of the sandbox or of the spending belongs to no call of its own: the newest request asks it. */
  #requestOf({ toolUseId, agentId }: Question): AskingRequest | undefined {
    const own = this.#open.get(toolUseId) ?? this.#open.get(agentId);
    if (own || agentId !== MAIN_AGENT.agentId) return own;
    return [...this.#open.values()].at(-1);
  }
}

import {
  type ElicitRequestFormParams,
  ElicitRequestFormParamsSchema,
  type ElicitRequestURLParams,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { oneLine } from "@quoll/terminal-text/one-line";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import {
  type ChoiceAnswer,
  type ChoiceQuestion,
  callOf,
  type Question,
  type Questions,
  type Reply,
} from "../../contracts/question.ts";
import { questionForm, replyOf } from "./question-form.ts";

/** A request of the client, through which questions about it are asked. */
export type AskingRequest = {
  /** The id of the call, or of the agent that works for the request. */
  readonly id: string;
  readonly signal: AbortSignal;
  elicit(asked: ElicitRequestFormParams | ElicitRequestURLParams, signal: AbortSignal): Promise<ElicitResult>;
  /** Called if the client closed the question without an answer, possibly because nobody saw it. */
  closed(question: Question): void;
};

/** Pages of servers that Quoll uses; a client shows them only if it supports this. */
export type PagePorts = {
  /** True if the client opens pages (`elicitation.url` of its capabilities). */
  readonly canOpen: boolean;
  newId(): string;
  /** Tells the client's person one line. */
  notify(line: string): void;
};

const MAX_NAME_COLUMNS = 60;
const MAX_ADDRESS_COLUMNS = 400;
const DECLINED = { action: "decline", content: undefined } as const;

/** Asks the client about the calls that it requested, each question through the request that caused it. */
export class QuestionRouter {
  readonly #questions: Questions;
  readonly #pages: PagePorts;
  readonly #open = new Map<string, AskingRequest>();
  readonly #leave: () => void;

  constructor(questions: Questions, pages: PagePorts) {
    this.#questions = questions;
    this.#pages = pages;
    this.#leave = questions.answerWith((question, signal) => this.#answer(question, signal));
  }

  /** Asks questions of `request` until the returned function is called. */
  open(request: AskingRequest): () => void {
    this.#open.set(request.id, request);
    return () => void this.#open.delete(request.id);
  }

  /**
   * Passes a form or a page of an MCP server that Quoll uses to the client. Such a form belongs to no call: it is asked
   * through the newest request, and declined if there is none.
   */
  async forward(asked: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> {
    const request = [...this.#open.values()].at(-1);
    const params = request && (asked.mode === "url" ? this.#pageOf(asked) : formOf(asked));
    if (!request || !params) return DECLINED;
    const ends = AbortSignal.any([signal, request.signal]);
    const { action, content } = await request.elicit(params, ends).catch(() => DECLINED);
    return action === "accept" ? { action, ...(content && { content }) } : { action };
  }

  /** @returns undefined if the client opens no pages; a log message then names the page. */
  #pageOf({ server, message, url = "" }: McpElicitation): ElicitRequestURLParams | undefined {
    if (this.#pages.canOpen)
      return { mode: "url", message: titled(server, message), url, elicitationId: this.#pages.newId() };
    const [name, address] = [oneLine(server, MAX_NAME_COLUMNS), oneLine(url, MAX_ADDRESS_COLUMNS)];
    this.#pages.notify(
      `The MCP server ${name} wants you to open ${address}. Your client opens no pages for servers, so Quoll declined this: open the page yourself, then have the tool called again.`,
    );
    return undefined;
  }

  close(): void {
    this.#leave();
  }

  async #answer(question: Question, signal: AbortSignal): Promise<void> {
    try {
      const request = this.#requestOf(question);
      if (!request) return void this.#questions.reply(question.id, { decision: "reject" });
      const { form, readReply } = formFor(question);
      const answer = await request.elicit(form, AbortSignal.any([signal, request.signal]));
      if (answer.action === "cancel") request.closed(question);
      this.#questions.reply(question.id, readReply(answer));
    } catch (error) {
      const message = `The question about this call got no answer: ${errorMessage(error)}.`;
      this.#questions.reply(question.id, { decision: "reject", message });
    }
  }

  /** A question of the sandbox or about spending belongs to no call: it is asked through the newest request. */
  #requestOf(question: Question): AskingRequest | undefined {
    const { agentId } = question;
    const own = this.#open.get(callOf(question)?.toolUseId ?? agentId) ?? this.#open.get(agentId);
    if (own || agentId !== MAIN_AGENT.agentId) return own;
    return [...this.#open.values()].at(-1);
  }
}

type Form = { readonly form: ElicitRequestFormParams; readReply(answer: ElicitResult): Reply };

function formFor({ body, ...head }: Question): Form {
  if (body.kind === "choice")
    return { form: choiceForm(body.questions), readReply: (answer) => choiceReply(answer, body.questions) };
  const form = questionForm({ ...head, body });
  return { form, readReply: (answer) => replyOf(answer, form) };
}

function formOf({ server, message, requestedSchema }: McpElicitation): ElicitRequestFormParams | undefined {
  return ElicitRequestFormParamsSchema.safeParse({
    message: titled(server, message),
    requestedSchema: requestedSchema ?? { type: "object", properties: {} },
  }).data;
}

function titled(server: string, message: string): string {
  return `The MCP server ${server} asks: ${message}`;
}

type Fields = ElicitRequestFormParams["requestedSchema"]["properties"];

const TALK = "talk";

/**
 * A form with the questions of a choice: a list of options and a line for the person's own words for each question, and
 * a line to talk about them instead. No field is required, because a question may be left out. Previews are left out,
 * because a form has no place for them.
 */
export function choiceForm(questions: readonly ChoiceQuestion[]): ElicitRequestFormParams {
  return {
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        ...Object.assign({}, ...questions.map(fieldsOf)),
        [TALK]: {
          type: "string",
          title: "Talk about it instead",
          description: "What you want to say before you answer",
        },
      },
    },
  };
}

function fieldsOf(asked: ChoiceQuestion, at: number): Fields {
  const { question, header, options, isMultiple } = asked;
  const about = { title: question, description: describe(asked) };
  const labels = options.map(({ label }) => label);
  const titled = options.map(({ label, description }) => ({
    const: label,
    title: description === "" ? label : `${label}: ${description}`,
  }));
  return {
    [`answer${at + 1}`]: isMultiple
      ? { ...about, type: "array", items: { anyOf: titled } }
      : { ...about, type: "string", enum: labels, enumNames: titled.map(({ title }) => title) },
    [`words${at + 1}`]: { type: "string", title: `${header}: another answer` },
  };
}

function describe({ header, isMultiple }: ChoiceQuestion): string {
  return isMultiple ? `${header}: any of these` : header;
}

/** The answers of an accepted form; a form that was declined or closed answers nothing. */
export function choiceReply(
  { action, content = {} }: Pick<ElicitResult, "action" | "content">,
  questions: readonly ChoiceQuestion[],
): Reply {
  if (action !== "accept") return { decision: "reject" };
  const answers = questions.map(({ options }, at): ChoiceAnswer => {
    const given = [content[`answer${at + 1}`] ?? []].flat();
    const words = text(content[`words${at + 1}`]);
    const labels = options.map(({ label }) => label).filter((label) => given.includes(label));
    return { labels, ...(words !== "" && { words }) };
  });
  const talk = text(content[TALK]);
  return { decision: "answered", answers, ...(talk !== "" && { talk }) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines, oneLine } from "@quoll/terminal-text/one-line";
import { revealText } from "@quoll/terminal-text/plain-text";
import type { McpSampling, McpSamplingReply } from "../../contracts/mcp.ts";
import {
  type AssistantMessage,
  type Message,
  textOf,
  totalInputTokens,
  type Usage,
  type UserBlock,
} from "../../contracts/message.ts";
import type { Asker, FormChoice } from "../../contracts/question.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import { askModel } from "../../engine/ask-model.ts";
import type { Agent } from "../agent/open-agent.ts";
import { BUDGET_WORDS, type SampleSize, SamplingBudgets, sampleSize, whyTooLong } from "./sampling-budget.ts";

/** The limits on answers for servers in one turn and in a session, which stop a server that asks in a loop. */
const MAX_SAMPLES_PER_TURN = 10;
const MAX_SAMPLES_PER_SESSION = 50;
const SHOWN_CHARS = 600;
const MAX_NAME_COLUMNS = 40;
const PLAIN_SYSTEM = "You answer a request of a tool server.";

const CHOICES: readonly FormChoice[] = [
  { value: "once", label: "Yes, this request", isYes: true },
  { value: "session", label: `Yes, this server in this session: ${BUDGET_WORDS}`, isYes: true },
  { value: "no", label: "No", isYes: false },
];

type SamplingParts = { readonly main: Agent; readonly spend: SpendGuard };

/**
 * Answers the requests of servers with the session's model: only after the person agreed, with separate accounting for
 * the server, and limited in number and length. The person sees a line for each answer. Rejects with a reason for the
 * server.
 */
export function answerSampling(parts: SamplingParts, asker: Asker) {
  const { engine, state, session } = parts.main;
  const budgets = new SamplingBudgets();
  const asking = new Map<string, Promise<unknown>>();
  let inTurn = 0;
  let inSession = 0;
  engine.subscribe(({ event }) => {
    if (event.type === "turn_started") inTurn = 0;
  });
  return async (request: McpSampling, signal: AbortSignal): Promise<McpSamplingReply> => {
    inTurn += 1;
    inSession += 1;
    const { server } = request;
    const decline = (reason: string, advice: string) => {
      engine.notify(declinedLine(server, reason, advice));
      throw new Error(reason);
    };
    const reached = limitReached(inTurn, inSession);
    if (reached) {
      // Each limit is reported once for a server that asks in a loop.
      if (reached.isFirst) decline(reached.reason, reached.advice);
      throw new Error(reached.reason);
    }
    const { provider, model } = state.model;
    if (provider.name === "offline") throw new Error("No model is configured that could be asked.");
    const tooLong = whyTooLong(request);
    if (tooLong !== undefined) decline(tooLong, "Have the server ask with less.");
    const size = sampleSize(request);
    const allow = async () => {
      signal.throwIfAborted();
      // The answer to the preceding question may cover this request.
      if (budgets.covers(server, size)) return budgets.hold(server, size);
      const question = questionOf(request, { ...size, model, isPastBudget: budgets.has(server) });
      const reply = await asker.ask(question, signal);
      const answer = reply.decision === "chosen" ? reply.value : "no";
      signal.throwIfAborted();
      if (answer !== "once" && answer !== "session") throw new Error("The user rejected this request.");
      if (answer === "once") return undefined;
      budgets.open(server);
      return budgets.hold(server, size);
    };
    const isCovered = budgets.covers(server, size);
    const settle = isCovered ? budgets.hold(server, size) : await inTurnOf(server, asking, allow);
    const answer = await ask({ ...request, maxTokens: size.maxTokens }, parts, signal).catch((error) => {
      // A withdrawn request may have been read by the model; a failed request costs nothing.
      settle?.(signal.aborted ? size.inputTokens : 0);
      throw error;
    });
    const { usage } = answer;
    settle?.(totalInputTokens(usage) + usage.outputTokens);
    engine.notify(answeredLine(server, usage, await session.catalog.cost(answer.model, usage)), "info");
    return {
      text: textOf(answer.content),
      model: answer.model,
      stopReason: answer.stopReason === "max_tokens" ? "maxTokens" : "endTurn",
    };
  };
}

/** Runs one at a time for each server. @param last The last request of each server; it never rejects. */
function inTurnOf<Value>(server: string, last: Map<string, Promise<unknown>>, run: () => Promise<Value>) {
  const value = (last.get(server) ?? Promise.resolve()).then(run);
  const ended = value.then(
    () => undefined,
    () => undefined,
  );
  last.set(server, ended);
  return value;
}

/** The limit that a request exceeds. `isFirst`: this is the first request that exceeds the limit. */
function limitReached(inTurn: number, inSession: number) {
  if (inSession > MAX_SAMPLES_PER_SESSION)
    return {
      reason: `Quoll answers at most ${MAX_SAMPLES_PER_SESSION} requests of servers in a session.`,
      advice: "A new session starts counting from zero.",
      isFirst: inSession === MAX_SAMPLES_PER_SESSION + 1,
    };
  if (inTurn > MAX_SAMPLES_PER_TURN)
    return {
      reason: `Quoll answers at most ${MAX_SAMPLES_PER_TURN} requests of servers in a turn.`,
      advice: "Your next prompt starts counting from zero.",
      isFirst: inTurn === MAX_SAMPLES_PER_TURN + 1,
    };
  return undefined;
}

function declinedLine(server: string, reason: string, advice: string): string {
  return `A request of the MCP server ${oneLine(server, MAX_NAME_COLUMNS)} to the model was declined: ${reason} ${advice}`;
}

function answeredLine(server: string, usage: Usage, costUsd: number | undefined): string {
  const tokens = `${formatCount(totalInputTokens(usage))} tokens sent, ${formatCount(usage.outputTokens)} received`;
  return `The MCP server ${oneLine(server, MAX_NAME_COLUMNS)} asked the model: ${tokens}, ${formatUsd(costUsd, usage.estimated)}.`;
}

async function ask(
  request: McpSampling,
  { main, spend }: SamplingParts,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { app, catalog, watch, redactor: loadRedactor } = main.session;
  const { provider, model } = main.state.model;
  const redactor = await loadRedactor();
  const system = redactor.redact(request.systemPrompt?.trim() || PLAIN_SYSTEM);
  const hidden = (blocks: readonly UserBlock[]) =>
    blocks.map((block) => (block.type === "text" ? { ...block, text: redactor.redact(block.text) } : block));
  const messages = request.messages.map(({ role, content }): Message => {
    const id = app.ids.next();
    if (role === "user") return { role, id, content: hidden(content) };
    return {
      role: "user",
      id,
      content: [{ type: "text", text: `You answered:\n${redactor.redact(textOf(content))}` }],
    };
  });
  const asker = { source: "mcp", server: oneLine(request.server, MAX_NAME_COLUMNS) } as const;
  const asking = { ...asker, provider: watch.provider(provider, "mcp"), model, system };
  const deps = { catalog, spend, ids: app.ids };
  return askModel({ messages: joined(messages), maxTokens: request.maxTokens, system }, asking, deps, signal);
}

/**
 * Joins the messages into one user message: a server's list may not alternate, and its assistant messages are the
 * server's own text.
 */
function joined(messages: readonly Message[]): readonly Message[] {
  const [first] = messages;
  if (!first) return [];
  const content = messages.flatMap((message) => (message.role === "user" ? message.content : []));
  return [{ role: "user", id: first.id, content }];
}

type AskedSize = SampleSize & {
  readonly model: string;
  /** True if a yes for the session does not cover this request. */
  readonly isPastBudget: boolean;
};

function questionOf({ server, systemPrompt, messages }: McpSampling, about: AskedSize) {
  const name = oneLine(server, MAX_NAME_COLUMNS);
  const system = systemPrompt === undefined ? [] : [`Its system prompt: ${shortened(systemPrompt)}`];
  const said = messages.map(({ role, content }) => {
    const images = content.filter(({ type }) => type === "image").length;
    const more = images > 0 ? ` [${images === 1 ? "an image" : `${images} images`}]` : "";
    return `${role}: ${shortened(textOf(content))}${more}`;
  });
  return {
    title: `May the MCP server ${name} ask the model?`,
    body: {
      kind: "form",
      preview: { kind: "text", text: revealText([...system, ...said].join("\n")) },
      reason: reasonOf(about),
      choices: CHOICES,
    },
  } as const;
}

function reasonOf({ inputTokens, maxTokens, model, isPastBudget }: AskedSize): string {
  const cost = `You pay for this request: ${model} reads about ${formatCount(inputTokens)} tokens and answers with at most ${maxTokens}; the server gets the answer.`;
  return isPastBudget ? `This request is beyond what you allowed for the session. ${cost}` : cost;
}

function shortened(text: string): string {
  const line = joinedLines(text);
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)} … (${text.length} characters)` : line;
}

import { joinedLines, oneLine } from "@quoll/terminal-text/one-line";
import { revealText } from "@quoll/terminal-text/plain-text";
import type { McpSampling, McpSamplingReply } from "../../contracts/mcp.ts";
import { type Message, textOf, type UserBlock } from "../../contracts/message.ts";
import type { Ids, ModelCatalog, Redactor } from "../../contracts/ports.ts";
import type { Asker, QuestionChoice } from "../../contracts/question.ts";
import { askModel } from "../../engine/ask-model.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { LazySpend } from "./lazy-spend.ts";
import type { SessionWatch } from "./watch-session.ts";

/** Answers for servers in one turn, and in a session: a server that asks in a loop comes to an end. */
export const MAX_SAMPLES_PER_TURN = 10;
export const MAX_SAMPLES_PER_SESSION = 50;
/** The longest answer that a server gets, whatever it asks for. */
export const MAX_SAMPLE_TOKENS = 4_096;
const SHOWN_CHARS = 600;
const MAX_NAME_COLUMNS = 40;
const PLAIN_SYSTEM = "You answer a request of a tool server.";

const CHOICES: readonly QuestionChoice[] = [
  { value: "once", label: "once", isYes: true },
  { value: "session", label: "this server, this session", isYes: true },
  { value: "no", label: "no", isYes: false },
];

export type SamplingParts = {
  readonly app: { readonly ids: Ids };
  readonly engine: Pick<QueryEngine, "subscribe">;
  readonly registry: ModelTools;
  readonly state: Pick<SessionState, "model">;
  readonly catalog: ModelCatalog;
  readonly spend: LazySpend;
  readonly watch: Pick<SessionWatch, "provider">;
  redactor(): Promise<Redactor>;
};

/**
 * Answers the requests of servers with the session's model: only after a person's yes, counted as `mcp`, and limited
 * in number and length. Rejects with a reason for the server.
 */
export function answerSampling(parts: SamplingParts, asker: Asker) {
  const allowed = new Set<string>();
  let inTurn = 0;
  let inSession = 0;
  parts.engine.subscribe(({ event }) => {
    if (event.type === "turn_started") inTurn = 0;
  });
  return async (request: McpSampling, signal: AbortSignal): Promise<McpSamplingReply> => {
    inTurn += 1;
    inSession += 1;
    if (inTurn > MAX_SAMPLES_PER_TURN || inSession > MAX_SAMPLES_PER_SESSION) throw new Error(limitWords(inSession));
    const { provider, model } = parts.state.model;
    if (provider.name === "offline") throw new Error("No model is configured that could be asked.");
    const maxTokens = Math.min(request.maxTokens, MAX_SAMPLE_TOKENS);
    if (!allowed.has(request.server)) {
      const reply = await asker.ask(questionOf(request, { model, maxTokens }), signal);
      const answer = reply.decision === "chosen" ? reply.value : "no";
      if (answer === "session") allowed.add(request.server);
      if (answer !== "once" && answer !== "session") throw new Error("The user rejected this request.");
    }
    return ask({ ...request, maxTokens }, parts, signal);
  };
}

function limitWords(inSession: number): string {
  return inSession > MAX_SAMPLES_PER_SESSION
    ? `Quoll answers at most ${MAX_SAMPLES_PER_SESSION} requests of servers in a session.`
    : `Quoll answers at most ${MAX_SAMPLES_PER_TURN} requests of servers in a turn.`;
}

async function ask(request: McpSampling, parts: SamplingParts, signal: AbortSignal): Promise<McpSamplingReply> {
  const { app, state, catalog, spend, watch, registry } = parts;
  const { provider, model } = state.model;
  const redactor = await parts.redactor();
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
  const asking = { provider: watch.provider(provider, "mcp"), model, source: "mcp", system } as const;
  const deps = { catalog, spend, ids: app.ids, tools: registry };
  const answer = await askModel(
    { messages: joined(messages), maxTokens: request.maxTokens, system },
    asking,
    deps,
    signal,
  );
  return {
    text: textOf(answer.content),
    model: answer.model,
    stopReason: answer.stopReason === "max_tokens" ? "maxTokens" : "endTurn",
  };
}

/** The messages as one of the user: a server's list may not alternate, and its answers of the model are its own words. */
function joined(messages: readonly Message[]): readonly Message[] {
  const [first] = messages;
  if (!first) return [];
  const content = messages.flatMap((message) => (message.role === "user" ? message.content : []));
  return [{ role: "user", id: first.id, content }];
}

function questionOf({ server, systemPrompt, messages }: McpSampling, about: { model: string; maxTokens: number }) {
  const name = oneLine(server, MAX_NAME_COLUMNS);
  const system = systemPrompt === undefined ? [] : [`Its system prompt: ${shortened(systemPrompt)}`];
  const said = messages.map(({ role, content }) => {
    const images = content.filter(({ type }) => type === "image").length;
    const more = images > 0 ? ` [${images === 1 ? "an image" : `${images} images`}]` : "";
    return `${role}: ${shortened(textOf(content))}${more}`;
  });
  return {
    kind: "server",
    toolUseId: "",
    toolName: "",
    title: `May the MCP server ${name} ask the model?`,
    preview: { kind: "text", text: revealText([...system, ...said].join("\n")) },
    reason: `You pay for it: ${about.model} answers with at most ${about.maxTokens} tokens, and the server gets the answer.`,
    hazards: [],
    suggestions: [],
    sessionRules: [],
    choices: CHOICES,
  } as const;
}

function shortened(text: string): string {
  const line = joinedLines(text);
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)} … (${text.length} characters)` : line;
}

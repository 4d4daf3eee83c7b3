import type { Attributes, SpanContext } from "@opentelemetry/api";
import { type DecidedBy, decidedByText } from "../../contracts/decided-by.ts";
import type { EngineEvent, EventEnvelope, Outcome, PermissionDenial, TurnReport } from "../../contracts/event.ts";
import { isHookCall } from "../../contracts/hook.ts";
import { textOf } from "../../contracts/message.ts";
import type { PermissionRequest, Verdict } from "../../contracts/permission.ts";
import { ATTRIBUTE } from "./attributes.ts";
import { type Charged, type RecordingDeps, RequestSpan, type RequestStart } from "./request-span.ts";
import type { OpenSpan } from "./span-tree.ts";
import { type Decider, deciderOf } from "./watch-decisions.ts";

const TOOL_NAME = /^[\w.-]{1,128}$/;
const TURN_NAME = "invoke_agent quoll";

type EventOf<Type extends EngineEvent["type"]> = Extract<EngineEvent, { type: Type }>;
type Judged = {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly decision: "allow" | "deny";
  readonly by: Decider;
  /** It may quote a rule or the judge. */
  readonly decidedBy: DecidedBy;
  readonly waitedMs?: number;
  readonly atMs: number;
};
type OpenCall = { readonly open: OpenSpan; readonly name: string; isDenied: boolean };

/** Creates spans, metrics and events from the engine's events, its requests and its permissions. */
export class SessionRecorder {
  readonly #deps: RecordingDeps;
  readonly #calls = new Map<string, OpenCall>();
  readonly #pending = new Set<Promise<void>>();
  /** Verdicts on calls that have not begun here, because events arrive a little later than permission requests. */
  readonly #early = new Map<string, readonly Judged[]>();
  /** The conversation's last request, to which tool calls are linked. */
  #lastRequest: SpanContext | undefined;
  #turns = 0;
  #costUsd: number | undefined = 0;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
  }

  observe({ parentAgentId, event }: EventEnvelope): void {
    switch (event.type) {
      case "turn_started":
        if (parentAgentId === null) this.#turnStarted(event);
        return;
      case "turn_finished":
        if (parentAgentId === null) this.#turnFinished(event.report);
        return;
      case "tool_started":
        this.#toolStarted(event);
        return;
      case "tool_finished":
        this.#toolFinished(event);
        return;
      case "tool_discarded":
        this.#toolOver(event.toolUseId, "discarded");
        return;
      case "permission_denied":
        this.#denied(event.denial);
        return;
      case "words_added":
        this.#wordsAdded(event);
        return;
      default:
        this.#remark(event);
        return;
    }
  }

  request(start: RequestStart): RequestSpan {
    const span = new RequestSpan(this.#deps, start, (charged) => this.#charge(charged));
    if (start.source === "main") this.#lastRequest = span.open.span.spanContext();
    return span;
  }

  /** A verdict of the permission engine. Refusals, including those of hooks, arrive as events; no event names a call that a hook makes. */
  decided({ toolUseId, toolName }: PermissionRequest, verdict: Verdict, waitedMs: number): void {
    const isOfHook = isHookCall(toolUseId);
    const { decision } = verdict;
    if (decision === "deny" && !isOfHook) return;
    const { decidedBy } = decision === "deny" ? verdict : verdict.grant;
    const who = { by: deciderOf(decidedBy, decision === "deny" && verdict.unanswered), decidedBy };
    const judged = { toolUseId, toolName, decision, ...who, waitedMs, atMs: this.#deps.now() } as const;
    if (isOfHook || this.#calls.has(toolUseId)) this.#decision(judged);
    else this.#early.set(toolUseId, [...(this.#early.get(toolUseId) ?? []), judged]);
  }

  /** Ends all open spans, after the prices of all requests are known. */
  async close(): Promise<void> {
    const { tree } = this.#deps;
    await Promise.all(this.#pending);
    this.#settleCalls();
    if (tree.turn) tree.end(tree.turn, { attributes: { [ATTRIBUTE.outcome]: "aborted" } });
    const cost = this.#costUsd === undefined ? {} : { [ATTRIBUTE.costUsd]: this.#costUsd };
    tree.end(tree.session, { attributes: { [ATTRIBUTE.turns]: this.#turns, ...cost } });
  }

  #charge(charged: Promise<Charged>): void {
    const pending = charged.then(({ costUsd }) => {
      this.#costUsd = this.#costUsd === undefined || costUsd === undefined ? undefined : this.#costUsd + costUsd;
      this.#pending.delete(pending);
    });
    this.#pending.add(pending);
  }

  #turnStarted({ prompt }: EventOf<"turn_started">): void {
    const { tree } = this.#deps;
    const attributes = { ...this.#turnAttributes(), [ATTRIBUTE.promptChars]: prompt.length };
    const open = tree.startTurn(TURN_NAME, { attributes: { ...attributes, ...this.#shown({ input: prompt }) } });
    this.#prompted(open, prompt, "A prompt");
  }

  #turnAttributes(): Attributes {
    return { [ATTRIBUTE.operation]: "invoke_agent", [ATTRIBUTE.agent]: "quoll" };
  }

  #prompted(open: OpenSpan, prompt: string, body: string): void {
    const { content, log } = this.#deps;
    const words = content ? { [ATTRIBUTE.prompt]: content.text(prompt) } : {};
    const attributes = { [ATTRIBUTE.promptChars]: prompt.length, ...words };
    log.emit("quoll.user_prompt", open, { severity: "info", body, attributes });
  }

  #turnFinished(report: TurnReport): void {
    const { tree, meters, now } = this.#deps;
    const { outcome, durationMs } = report;
    this.#settleCalls();
    // A hook may have rejected the prompt before the turn began.
    const startedAtMs = now() - durationMs;
    const open = tree.turn ?? tree.startTurn(TURN_NAME, { attributes: this.#turnAttributes(), startedAtMs });
    this.#turns += 1;
    meters.turn(outcome.reason, durationMs);
    const error = outcome.reason === "failed" ? failureType(outcome) : undefined;
    const attributes = { ...reportAttributes(report), ...this.#shown({ output: report.text }) };
    tree.end(open, { attributes, ...(error !== undefined && { error }) });
  }

  /** The text of a turn, if content was requested: in the conventions' and in Langfuse's attributes. */
  #shown({ input, output }: { readonly input?: string; readonly output?: string }): Attributes {
    const { content, isLangfuse } = this.#deps;
    if (!content) return {};
    const parts = (role: string, text: string) => content.json([{ role, parts: [{ type: "text", content: text }] }]);
    const langfuse = {
      ...(input !== undefined && { [ATTRIBUTE.langfuseInput]: content.text(input) }),
      ...(output !== undefined && { [ATTRIBUTE.langfuseOutput]: content.text(output) }),
    };
    return {
      ...(input !== undefined && { [ATTRIBUTE.inputMessages]: parts("user", input) }),
      ...(output !== undefined && { [ATTRIBUTE.outputMessages]: parts("assistant", output) }),
      ...(isLangfuse && langfuse),
    };
  }

  #toolStarted({ use, level }: EventOf<"tool_started">): void {
    const { tree, content, isLangfuse } = this.#deps;
    const name = shownName(use.name);
    const args = content?.json(use.malformed?.text ?? use.input);
    const attributes = {
      [ATTRIBUTE.operation]: "execute_tool",
      [ATTRIBUTE.toolName]: name,
      [ATTRIBUTE.toolCallId]: use.id,
      [ATTRIBUTE.toolType]: "function",
      [ATTRIBUTE.level]: level,
      ...(args !== undefined && { [ATTRIBUTE.toolArguments]: args }),
      ...(args !== undefined && isLangfuse && { [ATTRIBUTE.langfuseInput]: args }),
    };
    // Outside a turn, no model requested the call: the person ran a command.
    const link = tree.turn ? this.#lastRequest : undefined;
    const open = tree.start(`execute_tool ${name}`, { attributes, link });
    this.#toolOver(use.id, "unfinished");
    this.#calls.set(use.id, { open, name, isDenied: false });
    this.#decisionsOf(use.id);
  }

  #toolFinished({ result }: EventOf<"tool_finished">): void {
    const { content, isLangfuse } = this.#deps;
    const call = this.#calls.get(result.toolUseId);
    const outcome = call?.isDenied ? "denied" : result.isError ? "error" : "ok";
    const shown = content?.result(result.content);
    this.#toolOver(result.toolUseId, outcome, {
      [ATTRIBUTE.resultChars]: textOf(result.content).length,
      ...(shown !== undefined && { [ATTRIBUTE.toolResult]: shown }),
      ...(shown !== undefined && isLangfuse && { [ATTRIBUTE.langfuseOutput]: shown }),
    });
  }

  /** Every span that began in a turn ends with the turn. */
  #settleCalls(): void {
    for (const id of [...this.#early.keys()]) this.#decisionsOf(id);
    for (const id of [...this.#calls.keys()]) this.#toolOver(id, "unfinished");
  }

  #toolOver(id: string, outcome: string, attributes: Attributes = {}): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    const { tree, meters, now } = this.#deps;
    meters.toolCall(call.name, outcome, now() - call.open.startedAtMs);
    const error = outcome === "error" ? { error: "tool_error" } : {};
    tree.end(call.open, { attributes: { ...attributes, [ATTRIBUTE.outcome]: outcome }, ...error });
  }

  #denied({ toolUseId, toolName, decidedBy, unanswered }: PermissionDenial): void {
    const call = this.#calls.get(toolUseId);
    if (call) call.isDenied = true;
    const who = { by: deciderOf(decidedBy, unanswered), decidedBy };
    this.#decision({ toolUseId, toolName, decision: "deny", ...who, atMs: this.#deps.now() });
  }

  #decisionsOf(id: string): void {
    for (const judged of this.#early.get(id) ?? []) this.#decision(judged);
    this.#early.delete(id);
  }

  #decision(judged: Judged): void {
    const { tree, meters, log, content } = this.#deps;
    const { toolUseId, decision, by, decidedBy, waitedMs, atMs } = judged;
    const toolName = shownName(judged.toolName);
    meters.decision(toolName, decision, by);
    const attributes = {
      [ATTRIBUTE.toolName]: toolName,
      [ATTRIBUTE.toolCallId]: toolUseId,
      [ATTRIBUTE.decision]: decision,
      [ATTRIBUTE.decidedBy]: by,
      ...(content && { [ATTRIBUTE.decidedByText]: content.text(decidedByText(decidedBy)) }),
      ...(waitedMs !== undefined && { [ATTRIBUTE.waitedMs]: Math.round(waitedMs) }),
    };
    const open = this.#calls.get(toolUseId)?.open ?? tree.current;
    log.emit("quoll.tool_decision", open, { severity: "info", body: "A call was judged", attributes, atMs });
  }

  #wordsAdded({ by, prompt }: EventOf<"words_added">): void {
    const { tree } = this.#deps;
    tree.event(tree.current, "quoll.words_added", { [ATTRIBUTE.reason]: by, [ATTRIBUTE.promptChars]: prompt.length });
    if (by === "user") this.#prompted(tree.current, prompt, "A prompt in the middle of a turn");
  }

  /** Adds details that only need an event on the turn's span. */
  #remark(event: EngineEvent): void {
    const { tree } = this.#deps;
    const notify = (name: string, attributes: Attributes) => tree.event(tree.current, name, attributes);
    switch (event.type) {
      case "continued":
        if (event.reason !== "tool_results") notify("quoll.continued", { [ATTRIBUTE.reason]: event.reason });
        return;
      case "compacted":
        notify("quoll.compacted", { [ATTRIBUTE.reason]: event.why, [ATTRIBUTE.freedTokens]: event.freedTokens });
        return;
      case "tools_changed":
        notify("quoll.tools_changed", {
          [ATTRIBUTE.toolsAdded]: [...event.added],
          [ATTRIBUTE.toolsChanged]: [...event.changed],
          [ATTRIBUTE.resentTokens]: event.resentTokens,
        });
        return;
      case "cache_missed":
        notify("quoll.cache_missed", {
          [ATTRIBUTE.missedPart]: event.changed,
          [ATTRIBUTE.missedTokens]: event.missedTokens,
          ...(event.costUsd !== undefined && { [ATTRIBUTE.costUsd]: event.costUsd }),
        });
        return;
      case "model_changed":
        notify("quoll.model_changed", { [ATTRIBUTE.requestModel]: event.model });
        return;
      case "mode_changed":
        notify("quoll.mode_changed", { [ATTRIBUTE.mode]: event.mode });
        return;
    }
  }
}

/** A text that is not a valid tool name is the model's own text. */
function shownName(name: string): string {
  return TOOL_NAME.test(name) ? name : "(no tool's name)";
}

function failureType({ status }: Extract<Outcome, { reason: "failed" }>): string {
  return status === undefined ? "failed" : String(status);
}

/** A turn's sums have Quoll's own names, so that a sum of `gen_ai.usage.*` over a trace counts each request once. */
function reportAttributes({ outcome, steps, usage, costUsd }: TurnReport): Attributes {
  const names = ATTRIBUTE.turnUsage;
  return {
    [ATTRIBUTE.outcome]: outcome.reason,
    [ATTRIBUTE.steps]: steps,
    [names.input]: usage.inputTokens,
    [names.output]: usage.outputTokens,
    [names.cacheRead]: usage.cacheReadTokens,
    [names.cacheWrite]: usage.cacheWriteTokens,
    ...(costUsd !== undefined && { [ATTRIBUTE.costUsd]: costUsd }),
  };
}

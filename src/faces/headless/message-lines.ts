import { decidedByText } from "../../contracts/decided-by.ts";
import type { EngineEvent, EventEnvelope, TurnReport } from "../../contracts/event.ts";
import { cacheMissedLine, toolsChangedLine } from "../../contracts/event-lines.ts";
import {
  type AssistantBlock,
  type AssistantMessage,
  type JsonObject,
  textOf,
  totalInputTokens,
  type UserMessage,
} from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import { PartialMessages } from "./partial-messages.ts";
import { type WireLine, wireAssistant, wireDenial, wireUser } from "./wire-format.ts";

export type MessageLinesOptions = {
  readonly ids: Ids;
  /** The value of `--include-partial-messages`. */
  readonly partial: boolean;
  /** The child agent whose events become lines; absent for the session's own agent. */
  readonly child?: Pick<EventEnvelope, "agentId" | "parentToolUseId">;
};

/** The names of this format for failed requests, by HTTP status. */
const FAILURES: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "authentication_failed",
  402: "billing_error",
  403: "authentication_failed",
  404: "model_not_found",
  429: "rate_limit",
  529: "overloaded",
};

/** How often a long call reports that it is alive. */
const PROGRESS_EVERY_MS = 10_000;

type Running = { readonly name: string; toldAtMs: number };

/**
 * Turns the events of one agent into lines of stream-json, without `session_id`. A line of a message has the message's
 * `uuid`. Lines of a child agent name the call that started the agent.
 */
export class MessageLines {
  readonly #partial: PartialMessages | undefined;
  readonly #child: MessageLinesOptions["child"];
  readonly #parent: { readonly parent_tool_use_id: string | null };
  #usedTokens = 0;
  /** True if the last status line said that a compaction runs. */
  #isCompacting = false;
  /** Running calls, by id. */
  readonly #running = new Map<string, Running>();
  /** Structured results that the next message of results will carry, by the id of the call. */
  readonly #outputs = new Map<string, JsonObject>();

  constructor({ ids, partial, child }: MessageLinesOptions) {
    this.#partial = partial ? new PartialMessages(ids) : undefined;
    this.#child = child;
    this.#parent = { parent_tool_use_id: child?.parentToolUseId ?? null };
  }

  lines(event: EngineEvent): readonly WireLine[] {
    const partial = this.#partial?.events(event) ?? [];
    const own = this.#own(event);
    if (partial.length === 0) return own;
    return [...partial.map((one) => ({ type: "stream_event", event: one, ...this.#parent })), ...own];
  }

  #own(event: EngineEvent): readonly WireLine[] {
    switch (event.type) {
      case "assistant_message": {
        const message = shownMessage(event);
        const shown = this.#partial?.messageId;
        this.#partial?.reset();
        const wire = wireAssistant(shown === undefined ? message : { ...message, id: shown });
        const whole = isBrokenOff(message)
          ? { message: { ...wire, stop_reason: null }, aborted: true }
          : { message: wire };
        return [{ type: "assistant", ...whole, ...this.#parent, uuid: message.id }];
      }
      case "tool_results":
        return [{ ...this.#userLine(event.message), ...this.#outputOf(event.message) }];
      case "words_added": {
        if (event.by === "user") return [];
        return [{ ...this.#userLine(event.message), isSynthetic: true }];
      }
      case "context_changed":
        this.#usedTokens = event.usedTokens;
        return [];
      case "tool_started":
        this.#running.set(event.use.id, { name: event.use.name, toldAtMs: 0 });
        return [];
      case "tool_progress":
        return this.#progress(event);
      case "tool_finished":
        this.#running.delete(event.result.toolUseId);
        if (event.display?.kind === "summary" && event.display.output)
          this.#outputs.set(event.result.toolUseId, event.display.output);
        return [];
      case "tool_discarded":
        this.#running.delete(event.toolUseId);
        return [];
      default:
        return this.#child ? this.#systemOf(this.#child, event) : this.#system(event);
    }
  }

  #userLine(message: UserMessage): WireLine {
    return { type: "user", message: wireUser(message), ...this.#parent, uuid: message.id };
  }

  /** The structured result of a call. Programs match it to the only result of a message. */
  #outputOf({ content }: UserMessage): WireLine {
    const results = content.filter((block) => block.type === "tool_result");
    const [output] = results.flatMap(({ toolUseId }) => this.#outputs.get(toolUseId) ?? []);
    this.#outputs.clear();
    return output && results.length === 1 ? { tool_use_result: output } : {};
  }

  #progress({ toolUseId, progress }: Extract<EngineEvent, { type: "tool_progress" }>): readonly WireLine[] {
    const running = this.#running.get(toolUseId);
    if (!running || progress.elapsedMs - running.toldAtMs < PROGRESS_EVERY_MS) return [];
    running.toldAtMs = progress.elapsedMs;
    const elapsed = { elapsed_time_seconds: Math.round(progress.elapsedMs / 1000) };
    const about = { tool_use_id: toolUseId, tool_name: running.name, ...this.#parent };
    return [{ type: "tool_progress", ...about, ...elapsed }];
  }

  /** The mode and the window of a child agent are not reported, because these lines describe the session. */
  #systemOf({ agentId }: NonNullable<MessageLinesOptions["child"]>, event: EngineEvent): readonly WireLine[] {
    if (event.type === "mode_changed" || event.type === "compaction_started" || event.type === "compacted") return [];
    return this.#system(event).map((line) => ({ ...line, ...this.#parent, agent_id: agentId }));
  }

  #system(event: EngineEvent): readonly WireLine[] {
    switch (event.type) {
      case "retry": {
        const { attempt, maxAttempts, delayMs, status, message } = event;
        // Programs count the retries after the first attempt.
        const count = { attempt: attempt - 1, max_retries: maxAttempts - 1, retry_delay_ms: delayMs };
        return [system("api_retry", { ...count, error_status: status ?? null, error: failureName(status), message })];
      }
      case "permission_denied": {
        const { denial } = event;
        const { kind, rule, source } = denial.decidedBy;
        const reason = decidedByText(denial.decidedBy);
        const why = { reason, decision_reason: reason, decided_by: { kind, rule, source } };
        return [system("permission_denied", { ...wireDenial(denial), ...why, message: `Refused: ${reason}.` })];
      }
      case "notice":
        return [informational(event.message)];
      case "tools_changed":
        return [informational(toolsChangedLine(event))];
      case "cache_missed":
        return [informational(cacheMissedLine(event))];
      case "mode_changed":
        return [system("status", { status: null, permissionMode: event.mode })];
      case "compaction_started":
        this.#isCompacting = true;
        return [system("status", { status: "compacting" })];
      case "request_started":
      case "turn_finished":
      case "busy_changed":
        // A compaction that found nothing to remove sends no other end event.
        return this.#endCompacting();
      case "compacted": {
        const before = event.preTokens ?? this.#usedTokens;
        const tokens = { pre_tokens: before, post_tokens: Math.max(0, before - event.freedTokens) };
        // Programs interpret the boundary as the place where a summary restarts the conversation.
        if (!event.report) return [...this.#endCompacting(), informational(event.note)];
        return [
          ...this.#endCompacting(),
          system("compact_boundary", {
            compact_metadata: { trigger: event.why === "manual" ? "manual" : "auto", ...tokens },
          }),
        ];
      }
      default:
        return [];
    }
  }

  #endCompacting(): readonly WireLine[] {
    if (!this.#isCompacting) return [];
    this.#isCompacting = false;
    return [system("status", { status: null })];
  }
}

/** The text of an interrupted answer is kept, without a stop reason and usage. */
function isBrokenOff({ stopReason, usage }: AssistantMessage): boolean {
  return stopReason === "other" && totalInputTokens(usage) + usage.outputTokens === 0;
}

function system(subtype: string, fields: WireLine): WireLine {
  return { type: "system", subtype, ...fields };
}

function failureName(status: number | undefined): string {
  if (status === undefined) return "unknown";
  return FAILURES[status] ?? (status >= 500 ? "server_error" : "unknown");
}

function informational(content: string): WireLine {
  return system("informational", { content, level: "notice" });
}

type Answer = Extract<EngineEvent, { type: "assistant_message" }>;

/** The answer for readers: the text that hooks want shown replaces the first text of the model. */
function shownMessage({ message, displayText: text }: Answer): AssistantMessage {
  if (text === undefined) return message;
  const first = message.content.findIndex(({ type }) => type === "text");
  const content = message.content.flatMap((block, index): readonly AssistantBlock[] => {
    if (block.type !== "text") return [block];
    return index === first && text !== "" ? [{ type: "text", text }] : [];
  });
  return { ...message, content };
}

/** The report with the text that hooks want shown. A text that combines several answers stays unchanged. */
export function shownReport(report: TurnReport, last: Answer | undefined): TurnReport {
  const isLast = last?.displayText !== undefined && textOf(last.message.content) === report.text;
  return isLast ? { ...report, text: last.displayText ?? report.text } : report;
}

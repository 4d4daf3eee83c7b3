import { type Attributes, SpanKind } from "@opentelemetry/api";
import { errorMessage, ProviderError } from "../../contracts/errors.ts";
import { type AssistantMessage, NO_USAGE, totalInputTokens, type Usage } from "../../contracts/message.ts";
import type { ProviderEvent, ProviderRequest } from "../../contracts/provider.ts";
import type { SpendSource } from "../../contracts/spend.ts";
import { ATTRIBUTE, providerName } from "./attributes.ts";
import type { Content } from "./content.ts";
import type { EventLog } from "./event-log.ts";
import type { Meters, RequestLabels } from "./meters.ts";
import type { OpenSpan, SpanTree } from "./span-tree.ts";
import type { RequestWatch } from "./watch-provider.ts";

export type RecordingDeps = {
  readonly tree: SpanTree;
  readonly meters: Meters;
  readonly log: EventLog;
  /** Undefined if content is not sent. */
  readonly content: Content | undefined;
  /** US dollars; undefined if the price is unknown. */
  cost(model: string, usage: Usage): Promise<number | undefined>;
  /** Milliseconds since the epoch; never goes back. */
  now(): number;
  /** True to add attributes that only Langfuse reads. */
  readonly isLangfuse: boolean;
};

export type RequestStart = {
  readonly request: ProviderRequest;
  readonly provider: string;
  readonly source: SpendSource;
};

/** The result of an answered request. */
export type Charged = { readonly usage: Usage; readonly costUsd: number | undefined };

/** One request to a model: its span with each retry as an event, its metrics and its failures. */
export class RequestSpan implements RequestWatch {
  readonly open: OpenSpan;
  readonly #deps: RecordingDeps;
  readonly #labels: RequestLabels;
  readonly #charged: (charged: Promise<Charged>) => void;
  #attempts = 1;
  #firstAtMs: number | undefined;
  #isOver = false;

  /** @param charged receives the cost of an answer before the answer is passed on. */
  constructor(deps: RecordingDeps, start: RequestStart, charged: (charged: Promise<Charged>) => void) {
    const { request, provider, source } = start;
    this.#deps = deps;
    this.#labels = { model: request.model, provider: providerName(provider), source };
    this.#charged = charged;
    const attributes = { ...startAttributes(request, this.#labels), ...inputOf(request, deps.content) };
    this.open = deps.tree.start(`chat ${request.model}`, { kind: SpanKind.CLIENT, attributes });
  }

  /** A failed attempt has a cost too. */
  spent(usage: Usage): void {
    const { meters } = this.#deps;
    meters.usage(this.#labels, usage);
    const priced = this.#costOf(usage).then((costUsd) => {
      if (costUsd !== undefined) meters.cost(this.#labels, costUsd);
      return { usage, costUsd };
    });
    this.#charged(priced);
  }

  note(event: ProviderEvent): void {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "tool_input_delta":
      case "block_done":
        this.#firstAtMs ??= this.#deps.now();
        return;
      case "restarted":
        this.#firstAtMs = undefined;
        this.#deps.tree.event(this.open, "quoll.restarted", {});
        return;
      case "retry":
        this.#retry(event);
        return;
      case "done":
        this.#answered(event.message);
    }
  }

  fail(error: unknown, isAborted: boolean): void {
    if (isAborted) this.abandon();
    else this.#failed(error);
  }

  abandon(): void {
    this.#over("cancelled", "cancelled");
  }

  #retry({ attempt, delayMs, status, message }: Extract<ProviderEvent, { type: "retry" }>): void {
    const { tree, meters } = this.#deps;
    this.#attempts = attempt;
    const attributes = { [ATTRIBUTE.attempt]: attempt, [ATTRIBUTE.delayMs]: delayMs, ...statusOf(status) };
    tree.event(this.open, "quoll.retry", attributes);
    meters.retry(this.#labels);
    this.#record("warn", "A request failed and is retried", { ...attributes, ...this.#words(message) });
  }

  #failed(error: unknown): void {
    if (this.#isOver) return;
    const type = errorType(error);
    const status = error instanceof ProviderError ? error.status : undefined;
    const attributes = { [ATTRIBUTE.errorType]: type, ...statusOf(status), ...this.#words(errorMessage(error)) };
    this.#record("error", "A request failed", { ...attributes, [ATTRIBUTE.attempts]: this.#attempts });
    this.#over("error", type, attributes);
  }

  #record(severity: "warn" | "error", body: string, attributes: Attributes): void {
    const { model, provider, source } = this.#labels;
    const labels = { [ATTRIBUTE.requestModel]: model, [ATTRIBUTE.provider]: provider, [ATTRIBUTE.source]: source };
    this.#deps.log.emit("quoll.api_error", this.open, { severity, body, attributes: { ...labels, ...attributes } });
  }

  /** A server's text may quote the request. */
  #words(message: string): Attributes {
    const { content } = this.#deps;
    return content ? { [ATTRIBUTE.errorMessage]: content.text(message) } : {};
  }

  #over(outcome: "error" | "cancelled", error: string, attributes: Attributes = {}): void {
    if (this.#isOver) return;
    const durationMs = this.#end(outcome, error);
    const ending = { ...attributes, ...this.#timing(), [ATTRIBUTE.outcome]: outcome };
    this.#deps.tree.end(this.open, { attributes: ending, error, atMs: this.open.startedAtMs + durationMs });
  }

  #end(outcome: "ok" | "error" | "cancelled", error?: string): number {
    this.#isOver = true;
    const durationMs = this.#deps.now() - this.open.startedAtMs;
    this.#deps.meters.request(this.#labels, { outcome, durationMs, ...(error !== undefined && { error }) });
    return durationMs;
  }

  #answered(message: Omit<AssistantMessage, "id">): void {
    if (this.#isOver) return;
    const { tree, content, isLangfuse } = this.#deps;
    const { usage } = message;
    const durationMs = this.#end("ok");
    const attributes = {
      [ATTRIBUTE.responseModel]: message.model,
      [ATTRIBUTE.finishReasons]: [message.stopReason],
      [ATTRIBUTE.outcome]: "ok",
      ...usageAttributes(usage),
      ...this.#timing(),
      ...(isLangfuse && { [ATTRIBUTE.langfuseUsage]: langfuseUsage(usage) }),
      ...(content && { [ATTRIBUTE.outputMessages]: content.output(message) }),
    };
    const cost = this.#costOf(usage, message.model).then(
      (usd): Attributes => (usd === undefined ? {} : { [ATTRIBUTE.usageCost]: usd, [ATTRIBUTE.costUsd]: usd }),
    );
    const ended = tree.endWith(this.open, { attributes, atMs: this.open.startedAtMs + durationMs }, cost);
    this.#charged(ended.then(() => ({ usage: NO_USAGE, costUsd: 0 })));
  }

  /** The price under the requested name, otherwise under the server's own name. */
  async #costOf(usage: Usage, answeredBy = this.#labels.model): Promise<number | undefined> {
    const priceOf = (name: string) => this.#deps.cost(name, usage).catch(() => undefined);
    const { model } = this.#labels;
    return (await priceOf(model)) ?? (answeredBy === model ? undefined : priceOf(answeredBy));
  }

  #timing(): Attributes {
    const first = this.#firstAtMs === undefined ? undefined : (this.#firstAtMs - this.open.startedAtMs) / 1000;
    return {
      [ATTRIBUTE.attempts]: this.#attempts,
      ...(first !== undefined && { [ATTRIBUTE.timeToFirstChunk]: first }),
    };
  }
}

function startAttributes(request: ProviderRequest, { model, provider, source }: RequestLabels): Attributes {
  return {
    [ATTRIBUTE.operation]: "chat",
    [ATTRIBUTE.provider]: provider,
    [ATTRIBUTE.requestModel]: model,
    [ATTRIBUTE.maxTokens]: request.maxTokens,
    [ATTRIBUTE.source]: source,
    ...(request.outputSchema && { [ATTRIBUTE.outputType]: "json" }),
    ...(request.effort && { [ATTRIBUTE.effort]: request.effort }),
  };
}

function inputOf({ messages }: ProviderRequest, content: Content | undefined): Attributes {
  return content ? { [ATTRIBUTE.inputMessages]: content.input(messages) } : {};
}

/** The conventions count cache reads and writes as input. */
function usageAttributes(usage: Usage): Attributes {
  return {
    [ATTRIBUTE.inputTokens]: totalInputTokens(usage),
    [ATTRIBUTE.outputTokens]: usage.outputTokens,
    [ATTRIBUTE.cacheReadTokens]: usage.cacheReadTokens,
    [ATTRIBUTE.cacheWriteTokens]: usage.cacheWriteTokens,
  };
}

/** Langfuse adds up these parts, so each token must be in only one. */
function langfuseUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): string {
  return JSON.stringify({
    input: inputTokens,
    output: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  });
}

function statusOf(status: number | undefined): Attributes {
  return status === undefined ? {} : { [ATTRIBUTE.status]: status };
}

/** A status, a recovery, or an error name: few values, and no text of a server. */
function errorType(error: unknown): string {
  if (!(error instanceof ProviderError)) return error instanceof Error ? error.name : "error";
  if (error.status !== undefined) return String(error.status);
  return error.kind === "other" ? "provider_error" : error.kind;
}

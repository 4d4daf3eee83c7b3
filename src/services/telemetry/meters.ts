import type { Attributes, Meter } from "@opentelemetry/api";
import { totalInputTokens, type Usage } from "../../contracts/message.ts";
import { ATTRIBUTE } from "./attributes.ts";

/** Histogram bounds from the conventions. */
const TOKEN_BOUNDS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECOND_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Turns and calls may take hours. */
const LONG_SECOND_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** Labels of a request in metrics, with few values each. */
export type RequestLabels = { readonly model: string; readonly provider: string; readonly source: string };

/** The metrics of a session. Takes durations in milliseconds and reports them in seconds. */
export class Meters {
  readonly #sessions;
  readonly #turns;
  readonly #requests;
  readonly #retries;
  readonly #tokens;
  readonly #cost;
  readonly #toolCalls;
  readonly #decisions;
  readonly #turnSeconds;
  readonly #toolSeconds;
  readonly #requestSeconds;
  readonly #tokenUsage;

  constructor(meter: Meter) {
    const counter = (name: string, description: string, unit: string) =>
      meter.createCounter(name, { description, unit });
    const seconds = (name: string, description: string, bounds: number[]) =>
      meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: bounds } });
    this.#sessions = counter("quoll.sessions", "Started sessions", "{session}");
    this.#turns = counter("quoll.turns", "Turns by outcome", "{turn}");
    this.#requests = counter("quoll.requests", "Model requests by outcome", "{request}");
    this.#retries = counter("quoll.request.retries", "Retries", "{retry}");
    this.#tokens = counter("quoll.tokens", "Tokens as reported by providers", "{token}");
    this.#cost = counter("quoll.cost", "Cost of requests with a known price", "USD");
    this.#toolCalls = counter("quoll.tool.calls", "Tool calls by outcome", "{call}");
    this.#decisions = counter("quoll.permission.decisions", "Permission decisions", "{decision}");
    this.#turnSeconds = seconds("quoll.turn.duration", "Duration of a turn", LONG_SECOND_BOUNDS);
    this.#toolSeconds = seconds("gen_ai.execute_tool.duration", "Duration of a tool call", LONG_SECOND_BOUNDS);
    this.#requestSeconds = seconds("gen_ai.client.operation.duration", "Duration of a request", SECOND_BOUNDS);
    this.#tokenUsage = meter.createHistogram("gen_ai.client.token.usage", {
      description: "Input and output tokens of a request",
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
    });
  }

  session(attributes: Attributes): void {
    this.#sessions.add(1, attributes);
  }

  turn(outcome: string, durationMs: number): void {
    this.#turns.add(1, { [ATTRIBUTE.outcome]: outcome });
    this.#turnSeconds.record(durationMs / 1000, { [ATTRIBUTE.outcome]: outcome });
  }

  request(labels: RequestLabels, { outcome, error, durationMs }: RequestEnd): void {
    const failed = error === undefined ? {} : { [ATTRIBUTE.errorType]: error };
    this.#requests.add(1, { ...ownLabels(labels), [ATTRIBUTE.outcome]: outcome, ...failed });
    this.#requestSeconds.record(durationMs / 1000, { ...conventional(labels), ...failed });
  }

  retry(labels: RequestLabels): void {
    this.#retries.add(1, ownLabels(labels));
  }

  usage(labels: RequestLabels, usage: Usage): void {
    const types = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cache_read: usage.cacheReadTokens,
      cache_write: usage.cacheWriteTokens,
    };
    for (const [type, count] of Object.entries(types))
      if (count > 0) this.#tokens.add(count, { ...ownLabels(labels), [ATTRIBUTE.tokenType]: type });
    const record = (type: "input" | "output", count: number) =>
      this.#tokenUsage.record(count, { ...conventional(labels), [ATTRIBUTE.tokenType]: type });
    record("input", totalInputTokens(usage));
    record("output", usage.outputTokens);
  }

  cost(labels: RequestLabels, usd: number): void {
    this.#cost.add(usd, ownLabels(labels));
  }

  toolCall(name: string, outcome: string, durationMs: number): void {
    const attributes = { [ATTRIBUTE.toolName]: name, [ATTRIBUTE.outcome]: outcome };
    this.#toolCalls.add(1, attributes);
    this.#toolSeconds.record(durationMs / 1000, { ...attributes, [ATTRIBUTE.operation]: "execute_tool" });
  }

  decision(toolName: string, decision: "allow" | "deny", by: string): void {
    const attributes = { [ATTRIBUTE.decision]: decision, [ATTRIBUTE.decidedBy]: by };
    this.#decisions.add(1, { [ATTRIBUTE.toolName]: toolName, ...attributes });
  }
}

export type RequestEnd = {
  readonly outcome: "ok" | "error" | "cancelled";
  readonly error?: string;
  readonly durationMs: number;
};

function ownLabels({ model, provider, source }: RequestLabels): Attributes {
  return { [ATTRIBUTE.requestModel]: model, [ATTRIBUTE.provider]: provider, [ATTRIBUTE.source]: source };
}

function conventional(labels: RequestLabels): Attributes {
  return { ...ownLabels(labels), [ATTRIBUTE.operation]: "chat" };
}

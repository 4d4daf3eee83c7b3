import { plural } from "@quoll/terminal-text/plural";
import { errorMessage, ProviderError } from "../../../contracts/errors.ts";
import { totalInputTokens, type Usage } from "../../../contracts/message.ts";
import type { ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import type { SpendSource } from "../../../contracts/spend.ts";
import type { RequestWatch } from "../watch-provider.ts";
import { msText, numberText } from "./event-entry.ts";

type RequestLogDeps = {
  readonly provider: string;
  readonly source: SpendSource;
  /** Counts the requests of the session. */
  readonly number: number;
  nowMs(): number;
  notify(line: string): void;
  fault(error: unknown): void;
};

/** One request to a model: one line when it is sent, one for each retry, and one for its end. */
export class RequestLog implements RequestWatch {
  readonly #deps: RequestLogDeps;
  readonly #startedMs: number;
  #firstMs: number | undefined;
  #attempts = 1;
  #isOver = false;

  constructor(request: ProviderRequest, deps: RequestLogDeps) {
    this.#deps = deps;
    this.#startedMs = deps.nowMs();
    const { provider, source } = deps;
    const parts = [
      `${request.model} of ${provider}, for ${source}`,
      plural(request.messages.length, "message"),
      plural(request.tools.length, "tool"),
      `${numberText(bytesOf(request))} bytes`,
      `at most ${numberText(request.maxTokens)} tokens out`,
      ...(request.effort ? [`effort ${request.effort}`] : []),
    ];
    this.#notify(`sent: ${parts.join(", ")}`);
  }

  spent(usage: Usage): void {
    if (usage.estimated) this.#notify(`an attempt that broke off: about ${usageText(usage)}`);
  }

  note(event: ProviderEvent): void {
    switch (event.type) {
      case "retry": {
        const { attempt, maxAttempts, delayMs, message } = event;
        this.#attempts = attempt;
        this.#notify(
          `attempt ${attempt} of ${maxAttempts} in ${msText(delayMs)}: ${statusText(event.status)}${message}`,
        );
        return;
      }
      case "restarted":
        this.#firstMs = undefined;
        this.#notify(`begins again: ${event.reason}`);
        return;
      case "notice":
        this.#notify(`notice: ${event.message}`);
        return;
      case "done": {
        const { usage, stopReason } = event.message;
        this.#end(`ok after ${this.#times()}: ${usageText(usage)}, stop reason ${stopReason}`);
        return;
      }
      default:
        this.#firstMs ??= this.#deps.nowMs();
    }
  }

  fail(error: unknown, isAborted: boolean): void {
    if (isAborted) {
      this.abandon();
      return;
    }
    const isProviders = error instanceof ProviderError;
    const status = isProviders ? statusText(error.status) : "";
    this.#end(`failed after ${this.#times()}: ${status}${errorMessage(error)}`);
    if (!isProviders) this.#deps.fault(error);
  }

  abandon(): void {
    this.#end(`cancelled after ${this.#times()}`);
  }

  #end(text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#notify(text);
  }

  #times(): string {
    const first = this.#firstMs === undefined ? [] : [`first token after ${msText(this.#firstMs - this.#startedMs)}`];
    const attempts = plural(this.#attempts, "attempt");
    return [msText(this.#deps.nowMs() - this.#startedMs), ...first, attempts].join(", ");
  }

  #notify(text: string): void {
    this.#deps.notify(`request ${this.#deps.number} ${text}`);
  }
}

/** The size of the request that the provider's adapter gets; the request on the wire is a little larger or smaller. */
function bytesOf({ system, messages, tools }: ProviderRequest): number {
  return Buffer.byteLength(JSON.stringify([system, messages, tools]));
}

function statusText(status: number | undefined): string {
  return status === undefined ? "" : `status ${status}: `;
}

function usageText(usage: Usage): string {
  const { cacheReadTokens: read, cacheWriteTokens: written, outputTokens } = usage;
  const cache = `${numberText(read)} read from the cache, ${numberText(written)} written to it`;
  return `${numberText(totalInputTokens(usage))} tokens in (${cache}), ${numberText(outputTokens)} out`;
}

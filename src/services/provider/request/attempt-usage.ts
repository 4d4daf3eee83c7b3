import { totalInputTokens, type Usage } from "../../../contracts/message.ts";
import type { ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { CHARS_PER_TOKEN, estimateInputTokens, JSON_CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";
import { BrokenStreamError, HttpError, RequestFailedError } from "./broken-stream.ts";

type Asked = Pick<ProviderRequest, "system" | "messages" | "tools" | "spent">;

/** The usage of one attempt, as the server reports it, or estimated if there is no report. */
export class AttemptUsage {
  readonly #request: Asked;
  #outputTokens = 0;
  #isAccepted = false;
  #hasBegun = false;
  #isTold = false;

  constructor(request: Asked) {
    this.#request = request;
  }

  /** The server has accepted the request. */
  accept(): void {
    this.#isAccepted = true;
  }

  note(event: ProviderEvent): void {
    if (event.type === "text_delta" || event.type === "thinking_delta")
      this.#outputTokens += event.text.length / CHARS_PER_TOKEN;
    if (event.type === "tool_input_delta") this.#outputTokens += event.json.length / JSON_CHARS_PER_TOKEN;
    this.#hasBegun ||= event.type !== "notice";
  }

  /** The answer is complete. @returns the reported usage, with estimates for missing numbers. */
  complete(reported: Usage): Usage {
    const usage = this.#filled(reported);
    this.#report(usage);
    return usage;
  }

  /** The attempt ended without a complete answer, by an error or an abort. An accepted request is paid for. */
  broken(error: unknown, reported: Usage | undefined): void {
    const isRefused = !this.#hasBegun && isServersError(error);
    if (this.#isTold || !this.#isAccepted || isRefused) return;
    const known = reported ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const outputTokens = Math.max(known.outputTokens, Math.ceil(this.#outputTokens));
    this.#report({ ...this.#filled({ ...known, outputTokens }), estimated: true });
  }

  #filled(reported: Usage): Usage {
    const lacksInput = totalInputTokens(reported) === 0;
    const lacksOutput = reported.outputTokens === 0 && this.#outputTokens > 0;
    if (!lacksInput && !lacksOutput) return reported;
    return {
      ...reported,
      ...(lacksInput && { inputTokens: Math.max(1, sentTokens(this.#request)) }),
      ...(lacksOutput && { outputTokens: Math.ceil(this.#outputTokens) }),
      estimated: true,
    };
  }

  #report(usage: Usage): void {
    this.#isTold = true;
    this.#request.spent?.(usage);
  }
}

/** An error in the body of a 200, instead of an answer. */
function isServersError(error: unknown): boolean {
  if (error instanceof BrokenStreamError) return error.errorType !== undefined;
  return error instanceof RequestFailedError && error.cause instanceof HttpError;
}

/** The estimated input tokens of a request. */
export function sentTokens({
  messages,
  system,
  tools,
}: Pick<ProviderRequest, "messages" | "system" | "tools">): number {
  return estimateInputTokens(messages, system.length + JSON.stringify(tools).length);
}

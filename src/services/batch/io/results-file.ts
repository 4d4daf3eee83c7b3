import { dirname } from "node:path";
import { AppendFile } from "../../../platform/append-file.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../platform/private-file.ts";
import type { BatchState } from "../batch-state.ts";

/**
 * The results of a batch: one JSON line for each input, in the order in which the inputs ended. The file is rebuilt
 * from the batch's own file at the start of a run, so that a killed process leaves no wrong entry.
 */
export class ResultsFile {
  readonly path: string;
  readonly #state: BatchState;
  readonly #file: AppendFile;

  /** @throws {Error} a system error. */
  constructor(path: string, state: BatchState) {
    this.path = path;
    this.#state = state;
    makePrivateFolder(dirname(path));
    replacePrivateFile(
      path,
      state
        .indexes("done", "failed")
        .map((input) => this.#line(input))
        .join(""),
    );
    this.#file = new AppendFile(path);
  }

  /** Adds an input that has ended. */
  add(input: number): void {
    this.#file.append(this.#line(input));
  }

  /** Adds the inputs that are left; the next run removes these lines. */
  end(): void {
    for (const input of this.#state.indexes("left")) this.add(input);
  }

  close(): void {
    this.#file.close();
  }

  #line(index: number): string {
    const { status, end, usd, tokens, isUnpriced } = this.#state.of(index);
    const input = this.#state.spec.inputs[index];
    return `${JSON.stringify({
      index,
      input: input?.fields ?? input?.text,
      status,
      ...(end && { answer: end.answer }),
      ...(end?.error !== undefined && { error: end.error }),
      ...(end?.contract && { contract: end.contract }),
      ...(end?.broken && { broken: end.broken }),
      ...(end?.worktree && { worktree: end.worktree }),
      ...(end && { usage: end.usage, requests: end.requests, duration_ms: end.durationMs }),
      tokens,
      cost_usd: isUnpriced ? null : usd,
    })}\n`;
  }
}

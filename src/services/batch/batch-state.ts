import { z } from "zod";
import type { InputStatus } from "../../contracts/batch.ts";

const amount = z.number().nonnegative();

export const batchSpec = z.object({
  version: z.literal(1),
  /** ISO 8601. */
  createdAt: z.string(),
  template: z.string(),
  agent: z.string(),
  model: z.string().optional(),
  budget: z.object({ unit: z.enum(["usd", "tokens"]), limit: z.number().positive() }).optional(),
  parallel: z.number().int().positive(),
  /** True if each agent has its own worktree. */
  isIsolated: z.boolean().optional(),
  /** The contract of each agent; names in braces are filled in as in the prompt. */
  expect: z
    .object({
      files: z.array(z.string()).optional(),
      command: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  /** The absolute path of the results file; absent for a file in the folder of the batch. */
  out: z.string().optional(),
  inputs: z.array(z.object({ text: z.string(), fields: z.record(z.string(), z.string()).optional() })),
});

/** A batch as it is saved. */
export type BatchSpec = z.infer<typeof batchSpec>;

const event = z.object({ input: z.number().int().nonnegative() });

/** `input`: the index of the input. */
export const inputEvent = z.discriminatedUnion("type", [
  event.extend({ type: z.literal("started") }),
  /** One request of its agent. `usd` is null if the price is unknown. */
  event.extend({ type: z.literal("spent"), usd: amount.nullable(), tokens: amount }),
  event.extend({
    type: z.literal("ended"),
    status: z.enum(["done", "failed"]),
    answer: z.string(),
    error: z.string().optional(),
    requests: amount,
    usage: z.object({
      inputTokens: amount,
      outputTokens: amount,
      cacheReadTokens: amount,
      cacheWriteTokens: amount,
    }),
    durationMs: amount,
    contract: z.enum(["kept", "broken"]).optional(),
    /** The broken parts of the contract, one phrase each. */
    broken: z.array(z.string()).optional(),
    worktree: z.object({ path: z.string(), branch: z.string().optional(), work: z.string() }).optional(),
  }),
  /** The input runs again in a later run. */
  event.extend({ type: z.literal("left") }),
]);

export type InputEvent = z.infer<typeof inputEvent>;
export type InputEnd = Extract<InputEvent, { readonly type: "ended" }>;

type InputState = {
  status: InputStatus;
  end?: InputEnd | undefined;
  usd: number;
  tokens: number;
  isUnpriced: boolean;
};

/** The inputs of a batch with their states, derived from its events. */
export class BatchState {
  readonly spec: BatchSpec;
  readonly #inputs: readonly InputState[];

  constructor(spec: BatchSpec) {
    this.spec = spec;
    this.#inputs = spec.inputs.map(() => ({ status: "left", usd: 0, tokens: 0, isUnpriced: false }));
  }

  apply(event: InputEvent): void {
    const input = this.of(event.input);
    switch (event.type) {
      case "started":
        input.status = "running";
        input.end = undefined;
        return;
      case "spent":
        input.usd += event.usd ?? 0;
        input.tokens += event.tokens;
        input.isUnpriced ||= event.usd === null;
        return;
      case "ended":
        input.status = event.status;
        input.end = event;
        return;
      case "left":
        input.status = "left";
        input.end = undefined;
    }
  }

  /** @throws {Error} if there is no such input: the file is damaged. */
  of(index: number): InputState {
    const input = this.#inputs[index];
    if (!input) throw new Error(`There is no input ${index}.`);
    return input;
  }

  /** The indexes of inputs in one of these states. */
  indexes(...statuses: readonly InputStatus[]): number[] {
    return this.#inputs.flatMap(({ status }, index) => (statuses.includes(status) ? [index] : []));
  }

  spent(): { readonly usd: number; readonly tokens: number; readonly isUnpriced: boolean } {
    const sum = { usd: 0, tokens: 0, isUnpriced: false };
    for (const { usd, tokens, isUnpriced } of this.#inputs) {
      sum.usd += usd;
      sum.tokens += tokens;
      sum.isUnpriced ||= isUnpriced;
    }
    return sum;
  }
}

import { readFileSync } from "node:fs";
import { type Limited, runLimited } from "./run-limited.ts";

/** The first argument with which Quoll starts itself to convert a web page or a document. */
export const CONVERT_COMMAND = "__convert-page";
export const CONVERT_TIMEOUT_MS = 10_000;
export const CONVERT_MEMORY_BYTES = 300 * 1024 * 1024;
/** No text of a page or a document that fits a conversation is nearly as long. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** How the child is started, and its limits. */
export type ConvertDeps = {
  /** The program and first arguments that start Quoll itself. */
  readonly selfCommand: readonly string[];
  readonly convertMs?: number;
  readonly convertBytes?: number;
  readonly convertOutputBytes?: number;
};

/**
 * Converts a page or a document in a child with limits, so that no page can stop the program or fill its memory.
 * @param order Becomes a line of JSON before the bytes.
 * @throws the abort reason of `signal`.
 */
export function runConvertChild(
  order: Readonly<Record<string, unknown>>,
  body: Uint8Array,
  { selfCommand, convertMs, convertBytes, convertOutputBytes }: ConvertDeps,
  signal: AbortSignal,
): Promise<Limited> {
  const run = {
    command: [...selfCommand, CONVERT_COMMAND],
    input: Buffer.concat([Buffer.from(`${JSON.stringify(order)}\n`), body]),
    timeoutMs: convertMs ?? CONVERT_TIMEOUT_MS,
    memoryBytes: convertBytes ?? CONVERT_MEMORY_BYTES,
    outputBytes: convertOutputBytes ?? MAX_OUTPUT_BYTES,
  };
  return runLimited(run, signal);
}

/** `300 MB of memory and 10 s` */
export function limitsOf({ convertMs, convertBytes }: Omit<ConvertDeps, "selfCommand">): string {
  const megabytes = (convertBytes ?? CONVERT_MEMORY_BYTES) / 1024 / 1024;
  return `${megabytes} MB of memory and ${(convertMs ?? CONVERT_TIMEOUT_MS) / 1000} s`;
}

/**
 * The part of a child that `runConvertChild` started: reads an order, one line of JSON, and the bytes after it from
 * stdin, and writes the answer as JSON to stdout.
 * @returns the exit code: 2 if stdin holds no order.
 */
export async function answerOrder<Order>(
  answer: (order: Order, bytes: Uint8Array) => Promise<unknown>,
): Promise<number> {
  const input = readFileSync(0);
  const end = input.indexOf("\n");
  if (end < 0) return 2;
  const order: Order = JSON.parse(input.toString("utf8", 0, end));
  const made = JSON.stringify(await answer(order, input.subarray(end + 1)));
  await new Promise<void>((done) => void process.stdout.write(made, () => done()));
  return 0;
}

import { ToolFailedError } from "../../../contracts/errors.ts";
import { watchMemory } from "../../../platform/processes/resident-memory.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";
import type { PageText } from "../page-text.ts";

/** The first argument with which Quoll starts itself to convert a page. */
export const CONVERT_COMMAND = "__convert-page";
export const CONVERT_TIMEOUT_MS = 10_000;
export const CONVERT_MEMORY_BYTES = 300 * 1024 * 1024;
/** Markdown is longer than its page only if it is made of links. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** The line of JSON before the bytes of the page. */
export type ConvertOrder = {
  readonly url: string;
  /** The charset of the content type. */
  readonly charset?: string | undefined;
  /** `plain`: the text of a page alone. `text`, `markup`: what was sent, decoded; markup may name its encoding. */
  readonly as: "page" | "plain" | "text" | "markup";
};

export type ConvertDeps = {
  /** The program and first arguments that start Quoll itself. */
  readonly selfCommand: readonly string[];
  readonly convertMs?: number;
  readonly convertBytes?: number;
  readonly convertOutputBytes?: number;
};

type Page = ConvertOrder & { readonly body: Uint8Array };

/**
 * Makes Markdown of a page, or decodes a text, in a child with limits, so that no page can stop the program or fill its
 * memory. If the child meets a limit with a page, a second one makes the text alone.
 * @throws {ToolFailedError} a limit was met, or the page can't be converted.
 * @throws the abort reason of `signal`.
 */
export async function convertPage(page: Page, deps: ConvertDeps, signal: AbortSignal): Promise<PageText> {
  const first = await converted(page, deps, signal);
  const made = first ?? (page.as === "page" ? await converted({ ...page, as: "plain" }, deps, signal) : undefined);
  if (made) return made;
  const { convertBytes = CONVERT_MEMORY_BYTES, convertMs = CONVERT_TIMEOUT_MS } = deps;
  const limits = `${convertBytes / 1024 / 1024} MB of memory and ${convertMs / 1000} s`;
  throw new ToolFailedError(`${page.url} could not be turned into text within ${limits}.`);
}

/** @returns undefined if the child met a limit. */
async function converted(
  { body, ...order }: Page,
  {
    selfCommand,
    convertMs: timeoutMs = CONVERT_TIMEOUT_MS,
    convertBytes = CONVERT_MEMORY_BYTES,
    convertOutputBytes = MAX_OUTPUT_BYTES,
  }: ConvertDeps,
  signal: AbortSignal,
): Promise<PageText | undefined> {
  const [file = "", ...args] = selfCommand;
  const full = new AbortController();
  let unwatch: (() => void) | undefined;
  try {
    const run = await runCaptured(
      {
        file,
        args: [...args, CONVERT_COMMAND],
        cwd: "/",
        // It reads no settings and reaches no network.
        env: { PATH: "/usr/bin:/bin" },
        input: Buffer.concat([Buffer.from(`${JSON.stringify(order)}\n`), body]),
        timeoutMs,
        maxBytes: convertOutputBytes,
        started: (pid) => {
          unwatch = watchMemory(pid, convertBytes, () => full.abort());
        },
      },
      AbortSignal.any([signal, full.signal]),
    );
    if (run.kind === "not-started") throw new ToolFailedError(`The page could not be converted (${run.reason}).`);
    if (run.kind !== "ended" || run.exitCode !== 0) return undefined;
    return JSON.parse(run.stdout);
  } catch (error) {
    signal.throwIfAborted();
    if (full.signal.aborted) return undefined;
    throw error;
  } finally {
    unwatch?.();
  }
}

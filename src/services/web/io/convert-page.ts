import { ToolFailedError } from "../../../contracts/errors.ts";
import { type ConvertDeps, limitsOf, runConvertChild } from "../../../platform/processes/convert-child.ts";
import type { PageText } from "../page-text.ts";

/** The line of JSON before the bytes of the page. */
export type ConvertOrder = {
  readonly url: string;
  /** The charset of the content type. */
  readonly charset?: string | undefined;
  /** `plain`: the text of a page alone. `text`, `markup`: what was sent, decoded; markup may name its encoding. */
  readonly as: "page" | "plain" | "text" | "markup";
};

type Page = ConvertOrder & { readonly body: Uint8Array };

/**
 * Makes Markdown of a page, or decodes a text, in a child with limits. If the child meets a limit with a page, a second
 * one makes the text alone.
 * @throws {ToolFailedError} a limit was met, or the page can't be converted.
 * @throws the abort reason of `signal`.
 */
export async function convertPage(page: Page, deps: ConvertDeps, signal: AbortSignal): Promise<PageText> {
  const first = await converted(page, deps, signal);
  const made = first ?? (page.as === "page" ? await converted({ ...page, as: "plain" }, deps, signal) : undefined);
  if (made) return made;
  throw new ToolFailedError(`${page.url} could not be turned into text within ${limitsOf(deps)}.`);
}

/** @returns undefined if the child met a limit, or failed. */
async function converted(
  { body, ...order }: Page,
  deps: ConvertDeps,
  signal: AbortSignal,
): Promise<PageText | undefined> {
  const run = await runConvertChild(order, body, deps, signal);
  if (run.kind === "not-started") throw new ToolFailedError(`The page could not be converted (${run.reason}).`);
  return run.kind === "ended" ? JSON.parse(run.stdout.toString("utf8")) : undefined;
}

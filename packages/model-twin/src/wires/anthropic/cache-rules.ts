import { at, type Report } from "../../shape.ts";
import type { Block, CacheControl, MessagesRequest, TextBlock } from "./request.ts";
import type { Rule } from "./rule.ts";

const MAX_CACHE_MARKS = 4;

type Mark = { readonly where: string; readonly control: CacheControl; readonly on: Markable };
type Markable = Block | { readonly type: "tool" } | { readonly type: "request" };

/** Messages as lists of blocks; a string cannot carry a mark. */
const listOf = (content: string | readonly Block[] | undefined) =>
  Array.isArray(content) ? (content as readonly Block[]) : [];

function* blockMarks(blocks: readonly Block[], where: string): Generator<Mark> {
  for (const [index, block] of blocks.entries()) {
    const place = at(where, index);
    if (block.type === "tool_result") yield* blockMarks(listOf(block.content), at(place, "content"));
    if ("cache_control" in block && block.cache_control)
      yield { where: place, control: block.cache_control, on: block };
  }
}

/** Every cache mark, in the order in which the API reads a request: tools, system, messages, and the mark of the request itself last. */
function* cacheMarks(request: MessagesRequest): Generator<Mark> {
  for (const [index, { cache_control: control }] of (request.tools ?? []).entries()) {
    if (control) yield { where: `tools.${index}.custom`, control, on: { type: "tool" } };
  }
  yield* blockMarks(listOf(request.system as string | readonly TextBlock[] | undefined), "system");
  for (const [index, { content }] of request.messages.entries()) {
    yield* blockMarks(listOf(content), `messages.${index}.content`);
  }
  if (request.cache_control) yield { where: "", control: request.cache_control, on: { type: "request" } };
}

export const cacheMarksAreFew: Rule = ({ request }, report) => {
  const count = [...cacheMarks(request)].length;
  if (count > MAX_CACHE_MARKS) {
    report("", `at most ${MAX_CACHE_MARKS} blocks may carry cache_control, and ${count} were found`);
  }
};

export const longCacheComesFirst: Rule = ({ request }, report) => {
  let short: string | undefined;
  for (const { where, control } of cacheMarks(request)) {
    const place = at(where, "cache_control.ttl");
    if (control.ttl !== "1h") short ??= place;
    else if (short !== undefined)
      report(place, `a mark of 1h cannot come after one of 5m (${short}); the order is tools, system, messages`);
  }
};

export const blankTextIsNotCached: Rule = ({ request }, report) => {
  for (const { where, on } of cacheMarks(request)) reportBlank(on, where, report);
};

function reportBlank(on: Markable, where: string, report: Report): void {
  if (on.type === "text" && on.text.trim() === "")
    report(at(where, "cache_control"), "cannot be set on an empty text block");
}

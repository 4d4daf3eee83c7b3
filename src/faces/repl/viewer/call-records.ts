import { padText } from "@quoll/terminal-text/truncate-text";
import type { CallRecord } from "../../../contracts/call-record.ts";
import { MAX_EXCERPT_CHARS } from "../../../protocol/transcript/reduce-tools.ts";
import type { FinishedTool } from "../../../protocol/transcript/transcript.ts";
import { GLYPHS } from "../view/theme.ts";
import { verbOf } from "../view/tool-verbs.ts";
import type { BlockList, TranscriptBlock } from "./blocks.ts";

const AGENT_TOOL = "Agent";
/** The maximum size of the records that are kept, in characters; the window always shows far less. */
const MAX_KEPT_CHARS = 32 * 1024 * 1024;
/** The maximum number of long outputs that a search loads, newest first: at most 1 MiB each. */
const MAX_SEARCHED = 16;
const VERB_COLUMNS = 8;
const LOADING = "loading …";

/** The whole outputs of long calls and the calls of agents, requested when their blocks are first shown. */
export class CallRecords {
  readonly #ask: (toolUseId: string) => void;
  readonly #known = new Map<string, CallRecord>();
  readonly #asked = new Set<string>();
  #chars = 0;

  /** @param ask Requests a record, which arrives through `take`. */
  constructor(ask: (toolUseId: string) => void) {
    this.#ask = ask;
  }

  /** A block with all known data of its call. */
  fill(block: TranscriptBlock): TranscriptBlock {
    const tool = longCall(block);
    const record = tool && this.#known.get(tool.use.id);
    return tool && record ? { ...block, rows: [{ kind: "tool", tool: filled(tool, record) }] } : block;
  }

  /** Fills a block like `fill`, and requests a missing record. `isLoading`: the record arrives later. */
  show(block: TranscriptBlock): { readonly block: TranscriptBlock; readonly isLoading: boolean } {
    const tool = longCall(block);
    if (!tool || this.#known.has(tool.use.id)) return { block: this.fill(block), isLoading: false };
    this.#request(tool);
    return { block: { ...block, rows: [{ kind: "tool", tool: { ...tool, notes: [LOADING] } }] }, isLoading: true };
  }

  /** Requests the newest whole outputs, because a search examines them too. */
  askForSearch(blocks: Pick<BlockList, "length" | "at">): void {
    let left = MAX_SEARCHED;
    for (let at = blocks.length - 1; at >= 0 && left > 0; at -= 1) {
      const block = blocks.at(at);
      const tool = block && longCall(block);
      if (!tool || tool.use.name === AGENT_TOOL) continue;
      left -= 1;
      this.#request(tool);
    }
  }

  #request({ use: { id } }: FinishedTool): void {
    if (this.#known.has(id) || this.#asked.has(id)) return;
    this.#asked.add(id);
    this.#ask(id);
  }

  /** @returns true if older records were dropped to make room. */
  take(toolUseId: string, record: CallRecord): boolean {
    this.#asked.delete(toolUseId);
    this.#known.set(toolUseId, record);
    this.#chars += charsOf(record);
    let isDropped = false;
    for (const [id, old] of this.#known) {
      if (this.#chars <= MAX_KEPT_CHARS || id === toolUseId) break;
      this.#known.delete(id);
      this.#chars -= charsOf(old);
      isDropped = true;
    }
    return isDropped;
  }
}

function charsOf({ output = "", calls = [] }: CallRecord): number {
  return calls.reduce((sum, { title }) => sum + title.length, output.length + 1_000);
}

/** The call of a block that may have more than the transcript keeps. */
function longCall({ rows }: TranscriptBlock): FinishedTool | undefined {
  const [row] = rows;
  if (row?.kind !== "tool" || row.tool.answer?.kind === "refused" || row.tool.refusedBy !== undefined) return undefined;
  const { use, excerpt, display, isError, isShortened } = row.tool;
  if (use.name === AGENT_TOOL) return row.tool;
  if (display?.kind === "diff" && !isError) return undefined;
  return excerpt.length >= MAX_EXCERPT_CHARS || isShortened ? row.tool : undefined;
}

function filled(tool: FinishedTool, { output, notes, calls }: CallRecord): FinishedTool {
  const isAgent = tool.use.name === AGENT_TOOL;
  const lines = calls?.map(
    ({ name, title, isError }) => `${isError ? GLYPHS.failed : " "} ${padText(verbOf(name), VERB_COLUMNS)} ${title}`,
  );
  const unknown = isAgent && !calls ? ["the calls of this agent are no longer known"] : [];
  return {
    ...tool,
    // A stub of a result contains no more than what is known.
    ...(output !== undefined && output.length > tool.excerpt.length && { excerpt: output, isWhole: true }),
    notes: [...notes, ...unknown, ...(lines ?? [])],
  };
}

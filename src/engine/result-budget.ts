import { errorMessage } from "../contracts/errors.ts";
import type { ToolResultBlock, ToolResultContent } from "../contracts/message.ts";
import type { ArtifactStore } from "../contracts/ports.ts";

/** The maximum number of characters of one tool result that stay in the context. */
export const MAX_RESULT_CHARS = 100_000;
/**
 * The maximum number of characters of all results of one message that stay in the context; the largest results are
 * written to files first.
 */
export const MAX_MESSAGE_RESULT_CHARS = 200_000;
/** The number of characters shown of a result that was written to a file. */
export const SPILL_PREVIEW_CHARS = 2_000;

type Spillable = {
  readonly block: ToolResultBlock;
  readonly exempt: boolean;
  /** A lower limit than `MAX_RESULT_CHARS`. */
  readonly maxShownChars?: number;
};

/** Writes an oversized result to a file. A result that fits or is exempt is returned unchanged. */
export async function fitResult(item: Spillable, artifacts: ArtifactStore): Promise<ToolResultBlock> {
  const limit = Math.min(MAX_RESULT_CHARS, item.maxShownChars ?? MAX_RESULT_CHARS);
  if (item.exempt || textLength(item.block.content) <= limit) return item.block;
  return spill(item.block, artifacts);
}

/**
 * Keeps the results of one message within their shared limit: the largest are written to files first. The order is
 * kept.
 */
export async function fitMessage(
  items: readonly Spillable[],
  artifacts: ArtifactStore,
): Promise<readonly ToolResultBlock[]> {
  const blocks = items.map(({ block }) => block);
  let total = blocks.reduce((sum, block) => sum + textLength(block.content), 0);
  const largestFirst = items
    .map(({ exempt, block }, index) => ({ exempt, index, size: textLength(block.content) }))
    .filter(({ exempt, size }) => !exempt && size > SPILL_PREVIEW_CHARS * 2)
    .sort((a, b) => b.size - a.size);
  for (const { index, size } of largestFirst) {
    if (total <= MAX_MESSAGE_RESULT_CHARS) break;
    const block = blocks[index];
    if (!block) continue;
    const spilled = await spill(block, artifacts);
    blocks[index] = spilled;
    total += textLength(spilled.content) - size;
  }
  return blocks;
}

async function spill(block: ToolResultBlock, artifacts: ArtifactStore): Promise<ToolResultBlock> {
  const text = textOnly(block.content);
  // The call keeps its result if the disk is full.
  const saved = await artifacts.save(`result-${block.toolUseId}.txt`, text).then(
    (wholeIn) => ({ wholeIn, where: `the whole of it is in ${wholeIn} (Read and Grep work there)` }),
    (error: unknown) => ({
      where: `the rest is lost, since it could not be written to a file (${errorMessage(error)})`,
    }),
  );
  const { where, ...fact } = saved;
  const preview = wholeCharacters(text.slice(0, SPILL_PREVIEW_CHARS));
  const notice = `… the result has ${text.length} characters, too many to show; ${where}.`;
  const pictures = typeof block.content === "string" ? [] : block.content.filter(({ type }) => type === "image");
  const shortened = `${preview}\n${notice}`;
  return {
    ...block,
    ...fact,
    content: pictures.length === 0 ? shortened : [{ type: "text", text: shortened }, ...pictures],
  };
}

/** Removes half of a surrogate pair at the cut, because APIs reject it. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function textOnly(content: ToolResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function textLength(content: ToolResultContent): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
}

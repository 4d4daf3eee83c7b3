import { ToolFailedError } from "../../../contracts/errors.ts";
import { defineTool, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { type BinaryRead, type LinesRead, readLines } from "../../../platform/files/read-lines.ts";
import { type FileMemory, isSameKnown } from "../file-memory.ts";
import { knownState } from "../known-file.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target } from "../target-file.ts";
import { binaryKind } from "./binary-kind.ts";
import { folderError } from "./folder-error.ts";
import { imageHeader } from "./image-header.ts";
import { missingFile } from "./missing-file.ts";
import { readImage } from "./read-image.ts";
import { type Range, showText } from "./read-text.ts";
import { readSpec } from "./spec.ts";

const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_RESULT_TOKENS = 25_000;
const CHARS_A_TOKEN = 4;

export type ReadDeps = PathDeps & { readonly memory: FileMemory };

export const readTool = ({ home, isHidden, memory }: ReadDeps) =>
  defineTool(readSpec, async (input, { cwd, signal }) => {
    const target = await resolveTarget(input.file_path, { cwd, home });
    // A file that a rule denies is refused by that rule, not by what is or isn't there.
    if (!isHidden(target.path)) await refuseNonFile(target, { cwd, isHidden, signal });
    const range = {
      offset: Math.max(1, Math.trunc(input.offset ?? 1)),
      limit: Math.trunc(input.limit ?? DEFAULT_LINES),
    };
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", target)],
      title: range.offset > 1 ? `${target.shown}:${range.offset}` : target.shown,
      run: () => show(target, range, memory, signal),
    };
  });

async function refuseNonFile(
  target: Target,
  where: { cwd: string; isHidden: PathDeps["isHidden"]; signal: AbortSignal },
): Promise<void> {
  const stamp = await readStamp(target.path);
  if (!stamp) throw await missingFile({ target, ...where });
  if (stamp.kind === "folder") throw await folderError(target, where.cwd, where.isHidden);
}

async function show(target: Target, range: Range, memory: FileMemory, signal: AbortSignal): Promise<ToolResult> {
  const read = await readLines(
    target.path,
    {
      firstLine: range.offset,
      maxLines: range.limit,
      maxLineChars: MAX_LINE_CHARS,
      maxChars: MAX_RESULT_TOKENS * CHARS_A_TOKEN,
    },
    signal,
  );
  return "head" in read ? showBinary(target, read, memory, signal) : showLines(target, read, range, memory);
}

function showLines(target: Target, read: LinesRead, range: Range, memory: FileMemory): ToolResult {
  const state = { modifiedMs: read.stamp.modifiedMs, size: read.stamp.size, hash: read.hash };
  const key = `${range.offset}:${range.limit}`;
  const known = memory.get(target.path);
  if (known?.madeBy === "read" && known.ranges.has(key) && isSameKnown(known, state)) {
    // Said once: who asks again has lost the text and gets it.
    memory.dropRange(target.path, key);
    const text = `${target.shown} is unchanged since you read these lines; what you were shown still holds.`;
    return textResult(text, { exemptFromSpill: true, display: { kind: "summary", text: "unchanged" } });
  }
  memory.noteRead(target.path, state, key);
  return showText(target, read, range);
}

async function showBinary(
  target: Target,
  { head, stamp }: BinaryRead,
  memory: FileMemory,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (imageHeader(head)) {
    const { result, file } = await readImage(target, stamp.size, signal);
    memory.noteRead(target.path, knownState(file.stamp, file.bytes), "image");
    return result;
  }
  const { kind, hint } = binaryKind(head);
  throw new ToolFailedError(
    `${target.shown} is ${kind} (${count(stamp.size)} bytes), not text. ${hint.replaceAll("FILE", JSON.stringify(target.shown))}`,
  );
}

import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { BinaryRead, LineWindow } from "../../../contracts/files.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import { UNCHANGED_WORDS } from "../../../contracts/read-words.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { type KnownDeps, knownState } from "../known-file.ts";
import { isSameKnown, type KnownState, type ReadTracker } from "../read-tracker.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target, withMachineNote } from "../target-file.ts";
import { binaryKind } from "./binary-kind.ts";
import { readInput } from "./input.ts";
import { missingFile } from "./missing-file.ts";
import { readFolder } from "./read-folder.ts";
import { readImage } from "./read-image.ts";
import { type Range, showText } from "./read-text.ts";
import { readSpec } from "./spec.ts";

const NOTEBOOK = /\.ipynb$/i;
const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_RESULT_TOKENS = 25_000;
const CHARS_A_TOKEN = 4;

export type ReadDeps = PathDeps & { readonly tracker: ReadTracker };

export const readTool = ({ home, isHidden, tracker, temporary }: ReadDeps) =>
  defineTool(readSpec, readInput, async (input, { cwd, signal, files, toolUseId }) => {
    const target = await resolveTarget(input.file_path, { cwd, home, temporary });
    // A rule that denies a file refuses it before its existence is checked.
    const stamp = isHidden(target.path) ? undefined : await files.stamp(target.path);
    if (!stamp && !isHidden(target.path)) throw await missingFile({ target, cwd, isHidden, signal });
    const range = {
      offset: Math.max(1, Math.trunc(input.offset ?? 1)),
      limit: Math.trunc(input.limit ?? DEFAULT_LINES),
    };
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", target)],
      title: range.offset > 1 ? `${target.shown}:${range.offset}` : target.shown,
      run: async () => {
        const result =
          stamp?.kind === "folder"
            ? await readFolder(target, { offset: range.offset, limit: input.limit && range.limit }, isHidden)
            : await show(target, range, { tracker, files, signal, toolUseId });
        return withMachineNote(result, target);
      },
    };
  });

type ShowDeps = KnownDeps & { readonly toolUseId: string };

async function show(target: Target, range: Range, deps: ShowDeps): Promise<ToolResult> {
  const window = {
    firstLine: range.offset,
    maxLines: range.limit,
    maxLineChars: MAX_LINE_CHARS,
    maxChars: MAX_RESULT_TOKENS * CHARS_A_TOKEN,
  };
  const cells = NOTEBOOK.test(target.path) ? await showNotebook(target, window, deps) : undefined;
  if (cells) return cells;
  const read = await deps.files.readLines(target.path, window, deps.signal);
  if ("head" in read) return showBinary(target, read, deps);
  const state = { modifiedMs: read.stamp.modifiedMs, size: read.stamp.size, hash: read.hash };
  return unlessShown(target, { state, result: showText(target, read, range) }, window, deps);
}

/** @returns undefined if the file has another content than its name says. */
async function showNotebook(target: Target, window: LineWindow, deps: ShowDeps): Promise<ToolResult | undefined> {
  const { readNotebook } = await import("./read-notebook.ts");
  const read = await readNotebook(target, window, deps);
  return read && unlessShown(target, read, window, deps);
}

/** The result, or that it is what the model was shown before. */
function unlessShown(
  target: Target,
  { state, result }: { readonly state: KnownState; readonly result: ToolResult },
  { firstLine, maxLines }: LineWindow,
  { tracker, toolUseId }: Pick<ShowDeps, "tracker" | "toolUseId">,
): ToolResult {
  const key = `${firstLine}:${maxLines}`;
  const known = tracker.get(target.path);
  if (known?.madeBy === "read" && known.ranges.has(key) && isSameKnown(known, state)) {
    // "Unchanged" is answered only once: a model that asks again has lost the text and gets it.
    tracker.dropRange(target.path, key);
    const text = `${target.shown} ${UNCHANGED_WORDS}; what you were shown still holds.`;
    return textResult(text, { exemptFromSpill: true, display: { kind: "summary", text: "unchanged" } });
  }
  tracker.noteRead(target.path, state, { range: key, toolUseId });
  return result;
}

async function showBinary(
  target: Target,
  { head, stamp }: BinaryRead,
  { tracker, files, signal, toolUseId }: ShowDeps,
): Promise<ToolResult> {
  if (imageHeader(head)) {
    const { result, file } = await readImage(target, stamp.size, { files, signal });
    tracker.noteRead(target.path, knownState(file.stamp, file.bytes), { range: "image", toolUseId });
    return result;
  }
  const { kind, hint } = binaryKind(head);
  throw new ToolFailedError(
    `${target.shown} is ${kind} (${count(stamp.size)} bytes), not text. ${hint.replaceAll("FILE", JSON.stringify(target.shown))}`,
  );
}

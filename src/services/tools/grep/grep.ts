import { basename, dirname, join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { holdForChild } from "../../../platform/files/open-file.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";
import type { ReadTracker } from "../read-tracker.ts";
import {
  type PathDeps,
  refuseMoved,
  resolveTarget,
  shownBelow,
  subjectOf,
  type Target,
  withMachineNote,
} from "../target-file.ts";
import { patternError, rgSearch } from "./rg-search.ts";
import { searchGlobs } from "./search-globs.ts";
import { OUTPUT_MODES, type SearchRequest, type SearchResult } from "./search-types.ts";
import { type Hits, limits, showHits, totalOf } from "./show-hits.ts";
import { grepSpec } from "./spec.ts";

const lines = z.number().min(0).optional();

export const grepInput = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe("File or folder; the working folder by default"),
  glob: z.string().optional().describe("Only these files: *.ts, !**/dist/**"),
  type: z.string().optional().describe("Only this kind: ts, py, rust …"),
  output_mode: z.enum(OUTPUT_MODES).optional(),
  "-A": lines.describe("Lines after each match (content)"),
  "-B": lines.describe("Lines before"),
  "-C": lines,
  "-i": z.boolean().optional().describe("Ignore case"),
  "-n": z.boolean().optional().describe("Line numbers (content); true by default"),
  multiline: z.boolean().optional().describe("Let a match span lines"),
  head_limit: lines.describe("Most results; 250 by default, 0 for all"),
  offset: lines.describe("Results to skip"),
});

const DEFAULT_RESULTS = 250;
const MAX_CONTEXT_LINES = 1_000;
/** Most matching lines of one file that are counted for the total, unless the page needs more. */
const COUNTED_PER_FILE = 1_000;
const MAX_PER_FILE = 100_000;
const TIMEOUT_MS = 20_000;
/** A line break, or its escape (not a backslash before an n). */
const LINE_BREAK = /\n|(?<!\\)(?:\\\\)*\\n/;

const NO_RIPGREP =
  "Nothing was searched: this machine has no ripgrep (`rg`, version 13 or newer). Search with Bash, and say that installing it helps.";

export type GrepDeps = PathDeps & {
  readonly ripgrep: () => Promise<Ripgrep | undefined>;
  /** Receives the shown lines, so that Edit may change them. */
  readonly tracker: ReadTracker;
  /** Default 20 s. */
  readonly timeoutMs?: number;
};

type Input = z.infer<typeof grepInput>;

export const grepTool = (deps: GrepDeps) =>
  defineTool(grepSpec, grepInput, async (input, { cwd, signal }) => {
    if (!input.multiline && LINE_BREAK.test(input.pattern)) {
      throw patternError(input.pattern, "It holds a line break, and without multiline a match never spans lines.");
    }
    const target = await resolveTarget(input.path || cwd, { cwd, home: deps.home, temporary: deps.temporary });
    const stamp = await readStamp(target.path);
    if (!stamp)
      throw new ToolFailedError(`${target.shown} does not exist: nothing was searched. Check the path with Glob.`);
    if (stamp.kind === "other") throw new ToolFailedError(`${target.shown} is neither a file nor a folder.`);
    const request = requestOf(input, target, stamp.kind === "file", { cwd, signal, deps });
    const place = target.path === cwd ? "" : ` in ${target.shown}`;
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", target)],
      title: `${input.pattern}${place}`,
      run: async () => withMachineNote(await search(request, input, { target, cwd, deps }), target),
    };
  });

type Base = { readonly cwd: string; readonly signal: AbortSignal; readonly deps: GrepDeps };

type PlannedSearch = Omit<SearchRequest, "reachedBy">;

function requestOf(input: Input, target: Target, isFile: boolean, { cwd, signal, deps }: Base): PlannedSearch {
  const root = isFile ? dirname(target.path) : target.path;
  const around = (lines: number | undefined) => Math.min(MAX_CONTEXT_LINES, Math.trunc(lines ?? input["-C"] ?? 0));
  return {
    pattern: input.pattern,
    root,
    file: isFile ? basename(target.path) : undefined,
    globs: searchGlobs(isFile ? undefined : input.glob, { cwd, root, home: deps.home }),
    type: isFile ? undefined : input.type || undefined,
    mode: input.output_mode ?? "files_with_matches",
    before: around(input["-B"]),
    after: around(input["-A"]),
    ignoreCase: input["-i"] ?? false,
    multiline: input.multiline ?? false,
    // One more line than the page shows whether more lines follow.
    maxPerFile: Math.min(MAX_PER_FILE, Math.max(COUNTED_PER_FILE, offsetOf(input) + limitOf(input) + 1)),
    isHidden: deps.isHidden,
    signal,
    timeoutMs: deps.timeoutMs ?? TIMEOUT_MS,
  };
}

function offsetOf({ offset = 0 }: Input): number {
  return Math.trunc(offset);
}

function limitOf({ head_limit: limit = DEFAULT_RESULTS }: Input): number {
  return Math.trunc(limit) || Number.MAX_SAFE_INTEGER;
}

type Where = { readonly target: Target; readonly cwd: string; readonly deps: GrepDeps };

async function search(planned: PlannedSearch, input: Input, { target, cwd, deps }: Where): Promise<ToolResult> {
  await refuseMoved(target);
  const rg = await deps.ripgrep();
  if (!rg) throw new ToolFailedError(NO_RIPGREP);
  const startedMs = performance.timeOrigin + performance.now();
  const held = await holdForChild(target.path, planned.file === undefined ? "folder" : "file");
  const request = { ...planned, reachedBy: held.path };
  let result: SearchResult;
  try {
    result = await rgSearch(rg, request);
  } finally {
    await held.close();
  }
  await refuseMoved(target);
  const total = totalOf(result.files, request.mode);
  const noun = request.mode === "content" ? "matching line" : "file";
  const display = { kind: "summary", text: plural(total, noun), count: total } as const;
  if (total === 0) return textResult([nothing(request, target, result), ...limits(result)].join("\n"), { display });
  const page = {
    offset: offsetOf(input),
    limit: limitOf(input),
    lineNumbers: input["-n"] ?? true,
    nameOf: (path: string) => (request.file === undefined ? shownBelow(cwd, target, path) : target.shown),
  };
  const { text, seen } = showHits(result, request.mode, page);
  await noteSeen(request.root, seen, startedMs, deps.tracker);
  return textResult(text, { display });
}

/** A file that changed during the search may differ from the one that was shown. */
async function noteSeen(root: string, seen: Hits["seen"], startedMs: number, tracker: ReadTracker): Promise<void> {
  const notes = [...seen].map(async ([name, lines]) => {
    const path = join(root, name);
    const stamp = await readStamp(path);
    if (!stamp || stamp.modifiedMs >= startedMs) return;
    tracker.noteLines(path, { modifiedMs: stamp.modifiedMs, size: stamp.size, hash: undefined }, lines);
  });
  await Promise.all(notes);
}

/** Says what was searched, so that a filter without files is not mistaken for a result. */
function nothing(
  { pattern, globs, type, ignoreCase }: SearchRequest,
  target: Target,
  { hadNoFiles }: SearchResult,
): string {
  const place = target.shown === "." ? "the working folder" : target.shown;
  const filters = [...globs.shown.map((glob) => `glob ${glob}`), ...(type ? [`type ${type}`] : [])];
  const filter = filters.length > 0 ? ` (${filters.join(", ")})` : "";
  if (hadNoFiles && filter === "") return `No file was searched: git ignores the files in ${place}, or there are none.`;
  if (hadNoFiles)
    return `No file was searched: nothing in ${place} fits${filter}; files that git ignores, and folders behind links, are left out.`;
  return `No match for ${pattern} in ${place}${filter}${ignoreCase ? ", upper and lower case alike" : ""}.`;
}

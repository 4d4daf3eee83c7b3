import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import picomatch from "picomatch";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { listFiles } from "../../../platform/files/list-files.ts";
import { modifiedTimes } from "../../../platform/files/modified-times.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";
import { count, type PathDeps, refuseMoved, shownPath, subjectOf } from "../target-file.ts";
import { type GlobRoot, globRoot } from "./glob-root.ts";
import { globInput } from "./input.ts";
import { globSpec } from "./spec.ts";

const MAX_RESULTS = 100;
/** Most matches whose time is read; more matches end the listing. */
const MAX_MATCHES = 50_000;
const MAX_PATTERN_CHARS = 4_000;

export type GlobDeps = PathDeps & {
  readonly ripgrep: () => Promise<Ripgrep | undefined>;
  /** Default 10 s. */
  readonly timeoutMs?: number;
};

export const globTool = (deps: GlobDeps) =>
  defineTool(globSpec, globInput, async ({ pattern, path }, { cwd, signal }) => {
    if (pattern.length > MAX_PATTERN_CHARS)
      throw new InvalidInputError("The pattern is too long: 4,000 characters are the most.");
    const where = await globRoot(pattern, { path, cwd, home: deps.home });
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", where.root)],
      title: where.root.path === cwd ? pattern : `${where.pattern} in ${where.root.shown}`,
      run: () => find(where, cwd, deps, signal),
    };
  });

type Found = {
  /** Paths relative to the root. */
  readonly paths: readonly string[];
  readonly looked: number;
  readonly isComplete: boolean;
  /** True if a pattern without a slash matched only in subfolders. */
  readonly isDeeper: boolean;
};

async function find(where: GlobRoot, cwd: string, deps: GlobDeps, signal: AbortSignal): Promise<ToolResult> {
  await refuseMoved(where.root);
  const found = await matching(where, deps, signal);
  await refuseMoved(where.root);
  const times = await modifiedTimes(
    found.paths.map((path) => join(where.root.path, path)),
    signal,
  );
  const newest = found.paths
    .map((path, index) => ({ path, time: times[index] ?? 0 }))
    .sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_RESULTS)
    .map(({ path }) => shownPath(cwd, join(where.root.path, path)));
  const text = [...newest, ...notes(where, found, newest.length)].join("\n");
  return textResult(text, { display: { kind: "summary", text: plural(found.paths.length, "file") } });
}

async function matching({ root, pattern, file }: GlobRoot, deps: GlobDeps, signal: AbortSignal): Promise<Found> {
  if (file !== undefined && !deps.isHidden(join(root.path, file))) {
    return { paths: [file], looked: 1, isComplete: true, isDeeper: false };
  }
  const isMatch = picomatch(pattern, { dot: true });
  const isMatchBelow = pattern.includes("/") ? () => false : picomatch(pattern, { dot: true, basename: true });
  const paths: string[] = [];
  const below: string[] = [];
  let looked = 0;
  const isComplete = await listFiles({
    root: root.path,
    ripgrep: await deps.ripgrep(),
    signal,
    ...(deps.timeoutMs !== undefined && { timeoutMs: deps.timeoutMs }),
    onFile: (path) => {
      looked += 1;
      const list = isMatch(path) ? paths : isMatchBelow(path) ? below : undefined;
      if (list && list.length < MAX_MATCHES && !deps.isHidden(join(root.path, path))) list.push(path);
      return paths.length < MAX_MATCHES;
    },
  });
  const isDeeper = paths.length === 0 && below.length > 0;
  return { paths: isDeeper ? below : paths, looked, isComplete, isDeeper };
}

function notes(
  { root, pattern }: GlobRoot,
  { paths, looked, isComplete, isDeeper }: Found,
  shown: number,
): readonly string[] {
  const lines: string[] = [];
  const place = root.shown === "." ? "the working folder" : root.shown;
  if (paths.length === 0) lines.push(`No file in ${place} matches ${pattern} (${plural(looked, "file")} looked at).`);
  if (isDeeper) lines.push(`[none directly in ${place}: these are in folders below, as for **/${pattern}]`);
  if (shown < paths.length)
    lines.push(`[the newest ${shown} of ${count(paths.length)}; a narrower pattern shows the others]`);
  if (!isComplete) lines.push("[not complete: the listing was ended at its limit; look in a smaller folder]");
  return lines;
}

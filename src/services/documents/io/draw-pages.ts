import type { DocumentRequest, PagePicture } from "../../../contracts/documents.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Environment } from "../../../platform/env.ts";
import { findProgram } from "../../../platform/processes/find-program.ts";
import { runLimited } from "../../../platform/processes/run-limited.ts";

export type DrawDeps = {
  /** Its `PATH` is where programs are looked for. */
  readonly environment: Environment;
  /** True if a program at a real path may be run: it lies outside every project. */
  isTrusted(file: string): boolean;
};

/** Longest side, as for other images. */
const MAX_SIDE_PIXELS = 1_568;
const DRAW_TIMEOUT_MS = 20_000;
const DRAW_MEMORY_BYTES = 500 * 1024 * 1024;
const MAX_PICTURE_BYTES = 16 * 1024 * 1024;

/** The file is stdin, which is an ordinary file. Page numbers are from 1. */
const DRAWERS = [
  {
    name: "pdftoppm",
    mediaType: "image/jpeg",
    args: (page: number) => [
      ...["-jpeg", "-jpegopt", "quality=80", "-scale-to", `${MAX_SIDE_PIXELS}`],
      ...["-f", `${page}`, "-l", `${page}`, "-q", "/dev/stdin"],
    ],
  },
  {
    name: "mutool",
    mediaType: "image/png",
    args: (page: number) => [
      ...["draw", "-q", "-F", "png", "-w", `${MAX_SIDE_PIXELS}`, "-h", `${MAX_SIDE_PIXELS}`],
      ...["-o", "-", "/dev/stdin", `${page}`],
    ],
  },
] as const;

/**
 * Pictures of pages of a PDF, drawn by poppler or MuPDF with limits of time and memory.
 * @returns undefined if neither is installed.
 * @throws {ToolFailedError} the program failed, or met a limit.
 * @throws the abort reason of `signal`.
 */
export async function drawPages(
  { name, bytes }: Pick<DocumentRequest, "name" | "bytes">,
  pages: readonly number[],
  { environment, isTrusted }: DrawDeps,
  signal: AbortSignal,
): Promise<readonly PagePicture[] | undefined> {
  for (const { name: program, mediaType, args } of DRAWERS) {
    const file = findProgram(program, environment["PATH"] ?? "");
    if (file === undefined || !isTrusted(file)) continue;
    const pictures: PagePicture[] = [];
    for (const page of pages) {
      const limits = { timeoutMs: DRAW_TIMEOUT_MS, memoryBytes: DRAW_MEMORY_BYTES, outputBytes: MAX_PICTURE_BYTES };
      const run = await runLimited({ command: [file, ...args(page)], input: bytes, ...limits }, signal);
      if (run.kind === "over")
        throw new ToolFailedError(`Page ${page} of ${name} needs too much ${run.limit} to be drawn.`);
      if (run.kind !== "ended") throw new ToolFailedError(`Page ${page} of ${name} could not be drawn: ${run.reason}.`);
      pictures.push({ page, mediaType, bytes: run.stdout });
    }
    return pictures;
  }
  return undefined;
}

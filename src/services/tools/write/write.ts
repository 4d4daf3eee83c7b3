import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Encoding } from "../../../contracts/files.ts";
import type { Redactor } from "../../../contracts/ports.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import type { TextDiff } from "../../../platform/diff-hunks.ts";
import { decode, detectText, encodingName } from "../../../platform/files/encoding.ts";
import { refuseReadOnly } from "../../../platform/files/write-file.ts";
import { lineEndsOf } from "../edit/line-ends.ts";
import {
  type KnownDeps,
  knownState,
  type LoadedFile,
  loadKnown,
  MAX_WRITTEN_BYTES,
  refuseUnread,
} from "../known-file.ts";
import type { ReadTracker } from "../read-tracker.ts";
import { type RedactorDep, refuseSecrets, withPlaceholders, withSecrets } from "../restore-secrets.ts";
import { shownDiff } from "../shown-diff.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target, withMachineNote } from "../target-file.ts";
import { writeSpec } from "./spec.ts";

export const writeInput = z.object({ file_path: z.string().min(1), content: z.string() });

export type WriteDeps = Pick<PathDeps, "home" | "temporary"> & RedactorDep & { readonly tracker: ReadTracker };

/** The new content and the file it replaces; `old` is undefined for a new file. */
type Plan = {
  readonly target: Target;
  readonly bytes: Buffer;
  readonly content: string;
  readonly old: LoadedFile | undefined;
  /** Undefined without an old file. */
  readonly encoding: Encoding | "binary" | undefined;
  readonly redactor: Redactor | undefined;
};

export const writeTool = ({ home, temporary, tracker, redactor: load, refusesSecrets }: WriteDeps) =>
  defineTool(writeSpec, writeInput, async (input, { cwd, signal, files }) => {
    assertNotCleared(input.content);
    refuseTooLarge(Buffer.byteLength(input.content));
    const target = await resolveTarget(input.file_path, { cwd, home, temporary });
    const redactor = await load?.();
    const content = await withSecrets(input.content.toWellFormed(), target.path, redactor);
    refuseSecrets(content, target.path, { redactor, refusesSecrets });
    const bytes = Buffer.from(content, "utf8");
    refuseTooLarge(bytes.length);
    const planNow = async (): Promise<Plan> => {
      const old = await loadOld(target, input.file_path, { tracker, files, signal });
      const encoding = old && (await detectText(old.bytes));
      return { target, bytes, content, old, encoding, redactor };
    };
    const plan = await planNow();
    const shown = diffOf(plan);
    const takeHunks = hunkTaker(input.file_path, plan, shown);
    return {
      level: "write",
      concurrencySafe: false,
      subjects: [subjectOf("write", target)],
      title: target.shown,
      preview: { kind: "diff", path: target.shown, isNew: !plan.old, hunks: shown.diff.hunks },
      ...(takeHunks && { takeHunks }),
      run: async () => {
        const now = await planNow();
        const stamp = await files.write({ path: target.path, bytes, expected: now.old?.stamp, signal });
        const state = knownState(stamp, bytes);
        tracker.noteMade(target.path, state, "write");
        if (!now.old) tracker.created.add(target.path, stamp);
        return withMachineNote({ ...answer(now), ...tracker.factOf(target.path, state) }, target);
      },
    };
  });

function refuseTooLarge(bytes: number): void {
  if (bytes <= MAX_WRITTEN_BYTES) return;
  throw new ToolFailedError(`The content is ${count(bytes)} bytes; 64 MiB is the most that Write takes.`);
}

function diffOf(plan: Plan): TextDiff {
  return shownDiff(textOf(plan) ?? "", plan.content, plan.redactor);
}

/** Builds inputs for parts of the content, if the old file is a text with separable parts. */
function hunkTaker(filePath: string, plan: Plan, { diff, take }: TextDiff) {
  const before = textOf(plan);
  // Invalid bytes are unpaired surrogates in the text and would be lost in UTF-8.
  if (!take || diff.hunks.length < 2 || !before?.isWellFormed()) return undefined;
  return (indices: readonly number[]): Readonly<Record<string, unknown>> => ({
    file_path: filePath,
    content: withPlaceholders(take(indices), before, plan.redactor),
  });
}

/** The existing file, if there is one; checks that it may be replaced. */
async function loadOld(target: Target, given: string, deps: KnownDeps): Promise<LoadedFile | undefined> {
  const stamp = await deps.files.stamp(target.path);
  if (!stamp) {
    if (given.endsWith("/")) throw new ToolFailedError(`${target.shown}/ names a folder. Give the path of a file.`);
    return undefined;
  }
  if (stamp.kind === "folder") throw new ToolFailedError(`${target.shown} is a folder. Give the path of a file.`);
  refuseReadOnly(target.path, stamp);
  return refuseUnread(target, await loadKnown(target, deps));
}

/** The old text for the diff; undefined for a binary file, and without an old file. */
function textOf({ old, encoding }: Pick<Plan, "old" | "encoding">): string | undefined {
  if (!old || encoding === undefined || encoding === "binary") return undefined;
  return old.bytes.length % 2 === 1 && encoding.name.startsWith("utf-16") ? undefined : decode(old.bytes, encoding);
}

function answer(plan: Plan): ToolResult {
  const { target, bytes, content, old } = plan;
  const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  const verb = old ? "Replaced" : "Created";
  return textResult(
    `${verb} ${target.shown} (${plural(lines, "line")}, ${plural(bytes.length, "byte")}).${notesOn(plan)}`,
    { ...(!old && { wrote: "new" }), display: { kind: "diff", path: target.shown, isNew: !old, ...diffOf(plan).diff } },
  );
}

/** Write writes the content as it was sent, so the model is told what else changed. */
function notesOn(plan: Plan): string {
  const { encoding, content } = plan;
  const name = encoding && encoding !== "binary" ? encodingName(encoding) : undefined;
  const before = textOf(plan) ?? "";
  const [ends, now] = [lineEndNames(before), lineEndNames(content)];
  return [
    ...(name === undefined
      ? []
      : [` It was ${name === "unknown" ? "in an unknown encoding" : name} and is plain UTF-8 now.`]),
    ...(ends === now || ends === undefined || now === undefined
      ? []
      : [` Its lines ended in ${ends} and end in ${now} now.`]),
  ].join("");
}

function lineEndNames(text: string): string | undefined {
  const ends = lineEndsOf(text);
  return ends === "none" ? undefined : { lf: "LF", crlf: "CRLF", mixed: "CRLF and LF" }[ends];
}

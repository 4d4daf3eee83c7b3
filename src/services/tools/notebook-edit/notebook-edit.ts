import { z } from "zod";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { Redactor } from "../../../contracts/ports.ts";
import { textResult } from "../../../contracts/tool.ts";
import { decode, detectText, encode } from "../../../platform/files/encoding.ts";
import { refuseReadOnly } from "../../../platform/files/write-file.ts";
import { changedLines } from "../changed-lines.ts";
import {
  type KnownDeps,
  knownState,
  type LoadedFile,
  loadKnown,
  MAX_WRITTEN_BYTES,
  refuseUnread,
} from "../known-file.ts";
import type { ReadTracker } from "../read-tracker.ts";
import { type RedactorDep, refuseSecrets, withSecrets } from "../restore-secrets.ts";
import { shownDiff } from "../shown-diff.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target, withMachineNote } from "../target-file.ts";
import { type CellChange, type ChangedNotebook, changeCell } from "./change-cell.ts";
import { notebookEditSpec } from "./spec.ts";

export const notebookEditInput = z.object({
  notebook_path: z.string().min(1),
  cell_id: z
    .string()
    .min(1)
    .optional()
    .describe("Id or number of the cell, as Read shows it; an insert goes behind it, without it to the top"),
  new_source: z.string().optional().describe("The whole new source"),
  cell_type: z.enum(["code", "markdown", "raw"]).optional(),
  edit_mode: z.enum(["replace", "insert", "delete"]).optional().describe("Default: replace"),
});

export type NotebookEditDeps = Pick<PathDeps, "home" | "temporary"> & RedactorDep & { readonly tracker: ReadTracker };

type Planning = KnownDeps & { readonly target: Target; readonly change: CellChange };
type Plan = {
  readonly old: LoadedFile;
  readonly before: string;
  readonly changed: ChangedNotebook;
  readonly bytes: Buffer;
};

/** Changes one cell of a notebook. */
export const notebookEditTool = ({ home, temporary, tracker, redactor: load, refusesSecrets }: NotebookEditDeps) =>
  defineTool(notebookEditSpec, notebookEditInput, async (input, { cwd, signal, files }) => {
    assertNotCleared(input.new_source ?? "");
    const target = await resolveTarget(input.notebook_path, { cwd, home, temporary });
    const redactor = await load?.();
    const change = await changeOf(input, target, redactor);
    if (change.mode !== "delete") refuseSecrets(change.source, target.path, { redactor, refusesSecrets });
    const planning = { target, change, tracker, files, signal };
    const plan = await makePlan(planning);
    const { hunks } = diffOf(plan, redactor);
    return {
      level: "write",
      concurrencySafe: false,
      subjects: [subjectOf("write", target)],
      title: `${target.shown}: ${titleOf(change, plan.changed)}`,
      preview: { kind: "diff", path: target.shown, isNew: false, hunks },
      run: async () => {
        const now = await makePlan(planning);
        const { bytes } = now;
        if (bytes.length > MAX_WRITTEN_BYTES)
          throw new ToolFailedError(`${target.shown} would grow to ${count(bytes.length)} bytes; 64 MiB is the most.`);
        const stamp = await files.write({ path: target.path, bytes, expected: now.old.stamp, signal });
        const state = knownState(stamp, bytes);
        tracker.noteMade(target.path, state, "edit");
        const shown = { kind: "diff", path: target.shown, isNew: false, isOfCell: true } as const;
        const diff = diffOf(now, redactor);
        // The model has just written an inserted cell, and a deleted one is gone.
        const lines = change.mode === "replace" ? changedLines(diff.hunks) : "";
        const text = [answer(change, now.changed, target), lines].filter(Boolean).join("\n");
        return withMachineNote(
          textResult(text, { display: { ...shown, ...diff }, ...tracker.factOf(target.path, state) }),
          target,
        );
      },
    };
  });

/** The change of the cell's source: the JSON around it is no text that a person wrote. */
function diffOf({ changed: { before, after } }: Pick<Plan, "changed">, redactor: Redactor | undefined) {
  return shownDiff(before, after, redactor).diff;
}

/** `replace code cell 2 (id c2)`, `insert markdown cell after 1`, `delete code cell 3`. */
function titleOf(change: CellChange, { number, id, type }: ChangedNotebook): string {
  if (change.mode === "insert") return `insert ${type} cell ${number === 1 ? "at the top" : `after ${number - 1}`}`;
  const cell = [change.mode, type, `cell ${number}`, ...(id === undefined ? [] : [`(id ${id})`])].filter(Boolean);
  const isOther = change.mode === "replace" && change.type !== undefined && change.type !== type;
  return [...cell, ...(isOther ? [`by ${change.type}`] : [])].join(" ");
}

/** @throws {InvalidInputError} a field is missing. */
async function changeOf(
  { cell_id: cell, new_source, cell_type: type, edit_mode: mode = "replace" }: z.infer<typeof notebookEditInput>,
  { path }: Target,
  redactor: Redactor | undefined,
): Promise<CellChange> {
  if (mode !== "insert" && cell === undefined)
    throw new InvalidInputError(`cell_id is missing: which cell to ${mode}? Read shows their numbers and ids.`);
  if (mode === "delete") return { mode, cell: cell ?? "" };
  if (new_source === undefined) throw new InvalidInputError("new_source is missing. (An empty one empties the cell.)");
  const source = await withSecrets(new_source.toWellFormed(), path, redactor);
  return mode === "insert" ? { mode, cell, source, type: type ?? "code" } : { mode, cell: cell ?? "", source, type };
}

async function makePlan({ target, change, ...deps }: Planning): Promise<Plan> {
  const stamp = await deps.files.stamp(target.path);
  if (!stamp) throw new ToolFailedError(`${target.shown} does not exist. Create it with Write.`);
  if (stamp.kind === "folder") throw new ToolFailedError(`${target.shown} is a folder. Give the path of a notebook.`);
  refuseReadOnly(target.path, stamp);
  const old = refuseUnread(target, await loadKnown(target, deps));
  const encoding = await detectText(old.bytes);
  if (encoding === "binary") throw new ToolFailedError(`${target.shown} is binary, not a notebook.`);
  const before = decode(old.bytes, encoding);
  const changed = changeCell(before, change, target.shown);
  if (changed.text === before) throw new ToolFailedError(`This would not change ${target.shown}: nothing was written.`);
  return { old, before, changed, bytes: encode(changed.text, encoding) };
}

const DONE = { replace: "Replaced the source of", insert: "Inserted", delete: "Deleted" } as const;

function answer({ mode }: CellChange, { number, id, keepsOutputs }: ChangedNotebook, { shown }: Target): string {
  const name = `cell ${number}${id === undefined ? "" : ` (id ${id})`}`;
  const rest = mode === "replace" ? "" : " The cells behind it have other numbers now.";
  const note = keepsOutputs ? " Its outputs are those of the earlier source." : "";
  return `${DONE[mode]} ${name} of ${shown}.${rest}${note}`;
}

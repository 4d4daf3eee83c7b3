import { ToolFailedError } from "../../contracts/errors.ts";
import type { ListedTaskChange, NewListedTask } from "../../contracts/task-list.ts";
import type { KeptTask, ListContent } from "./list-content.ts";

const MAX_TASKS = 2_000;
const MAX_SUBJECT_CHARS = 300;
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_METADATA_CHARS = 4_000;
const MAX_NAMED_IDS = 20;

/** @throws {ToolFailedError} the list is full, or a field is too long. */
export function withTask(content: ListContent, task: NewListedTask, reservedId: string | undefined): ListContent {
  if (content.tasks.length >= MAX_TASKS)
    throw new ToolFailedError(`The list is full: it has ${MAX_TASKS} tasks. Delete tasks that are completed.`);
  assertShort(task);
  const { subject, description, activeForm, metadata } = task;
  const added: KeptTask = {
    id: reservedId ?? String(content.nextId),
    subject,
    description,
    status: "pending",
    blockedBy: [],
    ...(activeForm !== undefined && { activeForm }),
    ...(metadata !== undefined && { metadata: { ...metadata } }),
  };
  const nextId = reservedId === undefined ? content.nextId + 1 : content.nextId;
  return { ...content, nextId, tasks: [...content.tasks, added] };
}

/** @throws {ToolFailedError} as `TaskList.update`. */
export function withChange(content: ListContent, id: string, change: ListedTaskChange): ListContent {
  const task = taskOf(content, id);
  if (change.status === "deleted") return without(content, id);
  assertShort(change);
  assertClaimable(content, task, change);
  const { addBlocks = [], addBlockedBy = [] } = change;
  for (const other of [...addBlocks, ...addBlockedBy]) taskOf(content, other);
  const changed = withFields(task, change);
  const tasks = content.tasks.map((one) => {
    const added = [...(one.id === id ? addBlockedBy : []), ...(addBlocks.includes(one.id) ? [id] : [])];
    return { ...(one.id === id ? changed : one), blockedBy: union(one.blockedBy, added) };
  });
  // Each change keeps the list free of cycles, so only new dependencies can make one.
  const cycle =
    addBlocks.length + addBlockedBy.length > 0
      ? dependencyCycle(new Map(tasks.map((one) => [one.id, one.blockedBy])))
      : undefined;
  if (cycle) throw new ToolFailedError(`Tasks can't wait for each other: ${cycle.join(" → ")}. Nothing was changed.`);
  return { ...content, tasks };
}

function taskOf({ tasks }: ListContent, id: string): KeptTask {
  const task = tasks.find((one) => one.id === id);
  if (task) return task;
  const ids = tasks.map((one) => one.id);
  const known = ids.length === 0 ? "The list is empty." : `The latest are ${ids.slice(-MAX_NAMED_IDS).join(", ")}.`;
  throw new ToolFailedError(`There is no task ${id}. ${known}`);
}

function without(content: ListContent, id: string): ListContent {
  const tasks = content.tasks
    .filter((one) => one.id !== id)
    .map((one) => ({ ...one, blockedBy: one.blockedBy.filter((other) => other !== id) }));
  return { ...content, tasks };
}

/** The first agent that claims a task keeps it until it is completed or released. */
function assertClaimable({ tasks }: ListContent, task: KeptTask, { owner, status }: ListedTaskChange): void {
  if (owner !== undefined && owner !== "" && task.owner !== undefined && task.owner !== owner) {
    if (task.status !== "completed")
      throw new ToolFailedError(
        `Task ${task.id} belongs to ${task.owner}. Take another one; an empty owner releases it.`,
      );
  }
  if (status !== "in_progress") return;
  const open = task.blockedBy.filter((id) => tasks.some((one) => one.id === id && one.status !== "completed"));
  if (open.length > 0)
    throw new ToolFailedError(`Task ${task.id} can't begin: it waits for ${open.join(", ")}. Nothing was changed.`);
}

function withFields(task: KeptTask, change: ListedTaskChange): KeptTask {
  const { subject, description, activeForm, status, owner, metadata } = change;
  const { owner: ownerBefore, metadata: metadataBefore, ...rest } = task;
  const ownerNow = owner === undefined ? ownerBefore : owner;
  const merged = { ...metadataBefore, ...metadata };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  return {
    ...rest,
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(status !== undefined && status !== "deleted" && { status }),
    ...(ownerNow !== undefined && ownerNow !== "" && { owner: ownerNow }),
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
  };
}

function assertShort({ subject = "", description = "", activeForm = "", metadata }: ListedTaskChange): void {
  const fields = [
    { name: "subject", length: subject.length, limit: MAX_SUBJECT_CHARS },
    { name: "description", length: description.length, limit: MAX_DESCRIPTION_CHARS },
    { name: "activeForm", length: activeForm.length, limit: MAX_SUBJECT_CHARS },
    { name: "metadata", length: JSON.stringify(metadata ?? {}).length, limit: MAX_METADATA_CHARS },
  ];
  const long = fields.find(({ length, limit }) => length > limit);
  if (long) throw new ToolFailedError(`\`${long.name}\` has ${long.length} characters; the limit is ${long.limit}.`);
}

function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/**
 * Finds a cycle of dependencies by a depth-first search.
 * @param blockedBy The ids that each task waits for.
 * @returns the ids on the cycle, with the first id repeated at the end; undefined if there is no cycle.
 */
function dependencyCycle(blockedBy: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of blockedBy.keys()) {
    // The search is not recursive, because a chain may be as long as the list.
    const path: { readonly id: string; readonly rest: string[] }[] = [];
    const enter = (id: string) => path.push({ id, rest: [...(blockedBy.get(id) ?? [])] });
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        done.add(top.id);
        path.pop();
        continue;
      }
      const at = path.findIndex(({ id }) => id === next);
      if (at !== -1) return [...path.slice(at).map(({ id }) => id), next];
      if (!done.has(next)) enter(next);
    }
  }
  return undefined;
}

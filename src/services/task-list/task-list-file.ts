import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { ChangedTask, ListedTask, ListedTaskChange, NewListedTask, TaskList } from "../../contracts/task-list.ts";
import { changeLockedJson, type LockedJson, readLockedJson } from "../../platform/locked-json.ts";
import { withChange, withTask } from "./change-list.ts";
import { EMPTY_LIST, type ListContent, listSchema, withBlocks } from "./list-content.ts";

/** Many agents may wait for the lock of one list. */
const LOCK_WAIT_MS = 30_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A list in one file, which is replaced as a whole under a lock. @param file Absolute; missing while the list is empty. */
export function taskListFile(file: string): TaskList {
  const kept = {
    file,
    read: (json: unknown) => listSchema.safeParse(json).data,
    empty: EMPTY_LIST,
    what: "a list of tasks",
    lockWaitMs: LOCK_WAIT_MS,
    maxBytes: MAX_FILE_BYTES,
  };
  const list = async () => withBlocks(await read(kept));
  return {
    list,
    get: async (id) => (await list()).find((task) => task.id === id),
    async reserveId() {
      const { nextId } = await change(kept, (content) => ({ ...content, nextId: content.nextId + 1 }));
      return String(nextId - 1);
    },
    async create(task: NewListedTask, reservedId?: string): Promise<ListedTask> {
      const content = await change(kept, (before) => withTask(before, task, reservedId));
      const made = withBlocks(content).at(-1);
      if (!made) throw new Error("The list has no task after one was added.");
      return made;
    },
    async update(id: string, wanted: ListedTaskChange): Promise<ChangedTask> {
      let before: ListedTask | undefined;
      const content = await change(kept, (current) => {
        before = withBlocks(current).find((task) => task.id === id);
        return withChange(current, id, wanted);
      });
      if (!before) throw new Error("A task was changed that the list does not have.");
      return { before, after: withBlocks(content).find((task) => task.id === id) };
    },
  };
}

type Kept = LockedJson<ListContent>;

async function read(kept: Kept): Promise<ListContent> {
  return readLockedJson(kept).catch(asToolError);
}

async function change(kept: Kept, edit: (content: ListContent) => ListContent): Promise<ListContent> {
  return changeLockedJson(kept, edit).catch(asToolError);
}

function asToolError(cause: unknown): never {
  if (cause instanceof ToolFailedError) throw cause;
  throw new ToolFailedError(`The task list can't be used, and nothing was changed: ${errorMessage(cause)}.`, { cause });
}

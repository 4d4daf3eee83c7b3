import { z } from "zod";
import { LISTED_TASK_STATES, type ListedTask } from "../../contracts/task-list.ts";

const taskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().optional(),
  status: z.enum(LISTED_TASK_STATES),
  owner: z.string().optional(),
  blockedBy: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** The file of a list. `nextId` only grows, so no id is used twice. */
export const listSchema = z.object({
  version: z.literal(1),
  nextId: z.number().int().min(1),
  tasks: z.array(taskSchema),
});

export type ListContent = z.infer<typeof listSchema>;
export type KeptTask = z.infer<typeof taskSchema>;

export const EMPTY_LIST: ListContent = { version: 1, nextId: 1, tasks: [] };

/** The tasks with both directions of their dependencies. */
export function withBlocks({ tasks }: ListContent): readonly ListedTask[] {
  const blocks = new Map<string, string[]>(tasks.map(({ id }) => [id, []]));
  for (const { id, blockedBy } of tasks) for (const other of blockedBy) blocks.get(other)?.push(id);
  return tasks.map((task) => ({ ...task, blocks: blocks.get(task.id) ?? [] }));
}

import type { ToolContext } from "../../../contracts/tool.ts";

/** Runs a command that a person may meanwhile move to the background: `released` then resolves. */
export async function releasable<Result>(
  { tasks, toolUseId }: Pick<ToolContext, "tasks" | "toolUseId">,
  run: (released: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const withdraw = tasks.offerRelease(toolUseId, resolve);
  try {
    return await run(promise);
  } finally {
    withdraw();
  }
}

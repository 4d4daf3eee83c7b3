import type { Clock } from "../../../contracts/ports.ts";
import { isOpenTask, type Tasks } from "../../../contracts/task.ts";
import { OutputFile } from "../../../platform/processes/output-file.ts";

/** How often a followed task is checked, in milliseconds. */
export const FOLLOW_STEP_MS = 250;
/** The maximum part of an output that is shown, from its end. */
const MAX_BYTES = 256 * 1024;

export type FollowedTask = {
  readonly tasks: Pick<Tasks, "list">;
  readonly id: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Reports the lines of a task's output file, and reports them again whenever the file has grown, until the task has
 * ended or `signal` aborts. Only the end of a long output is reported, below a line that says so. Never rejects.
 */
export async function followTask(
  { tasks, id, clock, signal }: FollowedTask,
  report: (lines: readonly string[]) => void,
): Promise<void> {
  const find = () => tasks.list().find((one) => one.id === id);
  const { outputFile } = find() ?? { outputFile: undefined };
  if (outputFile === undefined) return report(["It has ended, and is forgotten."]);
  let reported = -1;
  for (;;) {
    // The state is read before the output, so that output written before the end is not missed.
    const task = find();
    const isOpen = task !== undefined && isOpenTask(task);
    const file = await OutputFile.open(outputFile).catch(() => undefined);
    try {
      const size = (await file?.size()) ?? 0;
      if (file && size !== reported) report(await endOf(file, size));
      reported = size;
    } catch {
      report([`${outputFile} can't be read.`]);
    } finally {
      await file?.close();
    }
    if (!isOpen || signal.aborted) return;
    await clock.sleep(FOLLOW_STEP_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

async function endOf(file: OutputFile, size: number): Promise<readonly string[]> {
  const start = Math.max(0, size - MAX_BYTES);
  const text = new TextDecoder().decode(await file.read(start, size));
  const lines = text.replace(/\n$/, "").split("\n");
  return start === 0 ? lines : [`… the whole output is in ${file.path}`, ...lines.slice(1)];
}

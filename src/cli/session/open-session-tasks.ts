import type { Session } from "../../app/session/session.ts";
import { endsWithOwner, isOpenAnswer, type TaskInfo } from "../../contracts/task.ts";
import type { SessionTasks } from "../../faces/headless/control-requests.ts";
import { OutputFile } from "../../platform/processes/output-file.ts";

const WAIT_MS = 600_000;
const STOP_MS = 10_000;
const MAX_TAIL_BYTES = 8 * 1024;

/** The agents and the background work of a session, for a run without a screen. */
export function sessionTasks({ tasks, environment }: Pick<Session, "tasks" | "environment">): SessionTasks {
  const patience = () => AbortSignal.timeout(STOP_MS);
  const agents = () => tasks.list().filter(isOpenAnswer);
  const inBackground = () => agents().filter((one) => one.isBackground);
  return {
    agents: {
      get commands() {
        return tasks.list().filter(endsWithOwner);
      },
      get count() {
        return inBackground().length;
      },
      stop: async () => {
        const running = inBackground();
        for (const { id } of running) await tasks.stop(id, patience(), "limit");
        return running.map(({ id, title }) => `${id} (${title})`);
      },
      get waitMs() {
        return environment.settings.agents?.waitMs ?? WAIT_MS;
      },
    },
    stop: async (id) => {
      await tasks.stop(id, patience(), "person");
    },
    moveToBackground: (toolUseId) => {
      const awaited = agents().filter((one) => !one.isBackground && one.toolUseId !== undefined);
      const wanted = awaited.filter((one) => toolUseId === undefined || one.toolUseId === toolUseId);
      if (toolUseId !== undefined && wanted.length === 0) throw new Error("no running agent belongs to this call");
      for (const { id } of wanted) tasks.moveToBackground(id);
    },
    output: async (id) => tail(taskOf(tasks.list(), id)),
  };
}

function taskOf(all: readonly TaskInfo[], wanted: string): TaskInfo {
  const found = all.find(({ id }) => id === wanted);
  if (!found) throw new Error(`there is no task ${JSON.stringify(wanted.slice(0, 80))}`);
  return found;
}

/** A missing file counts as empty. */
async function tail({ outputFile }: TaskInfo) {
  const file = await OutputFile.open(outputFile).catch(() => undefined);
  if (!file) return { text: "", totalBytes: 0, isCut: false };
  await using _file = file;
  const totalBytes = await file.size();
  const from = Math.max(0, totalBytes - MAX_TAIL_BYTES);
  const bytes = await file.read(from, totalBytes);
  return { text: bytes.toString("utf8"), totalBytes, isCut: from > 0 };
}

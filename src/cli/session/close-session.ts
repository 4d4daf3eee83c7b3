import type { Session } from "../../app/session/session.ts";
import { endsWithOwner, type TaskInfo } from "../../contracts/task.ts";
import { printError } from "../../platform/host.ts";

/** A person takes a terminal that says nothing for longer for one that hangs. */
const SAYS_AFTER_MS = 150;

/** Closes the session of a person. Commands can take seconds to end; a line then names them. */
export async function closeAloud(session: Pick<Session, "close" | "tasks">): Promise<void> {
  const timer = setTimeout(() => {
    const open = session.tasks.list().filter(endsWithOwner);
    if (open.length > 0) printError(`Ending background tasks, which can take seconds: ${open.map(named).join(", ")}`);
  }, SAYS_AFTER_MS);
  try {
    const ended = await session.close();
    if (ended.length > 0) printError(`Ended background tasks: ${ended.join(", ")}`);
  } finally {
    clearTimeout(timer);
  }
}

function named({ id, title }: TaskInfo): string {
  return `${id} (${title})`;
}

import { lazyFollowing } from "../worktree/lazy-following.ts";
import { resumeWorktree } from "../worktree/resume-worktree.ts";
import { finishEarlierRewind } from "./checkpoints/open-checkpoints.ts";
import { noteResumedFolder } from "./notes/resumed-folder.ts";
import { resumeLines } from "./notices/resume-lines.ts";
import type { OpenedSession } from "./opened-session.ts";

/** As in `SessionPorts`. */
type Telling = { startupWarning(line: string): void; tellRewind?(line: string): void };

/** Continues what an earlier process of the session has begun. */
export async function takeUp(
  session: OpenedSession,
  { startupWarning, tellRewind = startupWarning }: Telling,
): Promise<void> {
  const followConversation = lazyFollowing(session.main);
  const [costs] = await Promise.all([resumeLines(session), noteResumedFolder(session)]);
  for (const line of [...costs, ...(await resumeWorktree(session))]) startupWarning(line);
  for (const line of await finishEarlierRewind(session, followConversation)) tellRewind(line);
}

import { lazyFollowing } from "../worktree/lazy-following.ts";
import { resumeWorktree } from "../worktree/resume-worktree.ts";
import { finishEarlierRewind } from "./checkpoints/open-checkpoints.ts";
import { noteResumedFolder } from "./notes/resumed-folder.ts";
import { resumeLines } from "./notices/resume-lines.ts";

export type TakingUp = Parameters<typeof resumeLines>[0] &
  Parameters<typeof noteResumedFolder>[0] &
  Parameters<typeof resumeWorktree>[0] &
  Parameters<typeof finishEarlierRewind>[0];

/** As in `SessionPorts`. */
type Telling = { warn(line: string): void; tellRewind?(line: string): void };

/** Continues what an earlier process of the session has begun. */
export async function takeUp(resumed: TakingUp, { warn, tellRewind = warn }: Telling): Promise<void> {
  const followConversation = lazyFollowing(resumed.main);
  const [costs] = await Promise.all([resumeLines(resumed), noteResumedFolder(resumed)]);
  for (const line of [...costs, ...(await resumeWorktree(resumed))]) warn(line);
  for (const line of await finishEarlierRewind(resumed, followConversation)) tellRewind(line);
}

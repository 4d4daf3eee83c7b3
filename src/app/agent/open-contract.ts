import type { SpawnedAgent } from "../../contracts/agent-scope.ts";
import type { AgentExpect } from "../../services/tools/agent/agent.ts";
import type { AgentWorktree } from "../worktree/agent-worktree.ts";
import type { AgentContract, FilesBefore } from "./agent-contract.ts";

type Wanted = {
  readonly agent: SpawnedAgent;
  readonly expect: AgentExpect | undefined;
  readonly worktree: AgentWorktree | undefined;
  /** The files of the contract before the agent first started. */
  readonly known: FilesBefore | undefined;
};

/** The contract of an agent; undefined if nothing is expected. Its code is loaded with the first contract. */
export async function openContract(
  { agent, expect, worktree, known }: Wanted,
  signal: AbortSignal,
): Promise<AgentContract | undefined> {
  if (!expect) return undefined;
  const { AgentContract } = await import("./agent-contract.ts");
  return AgentContract.open({ agent, expect: expectedIn(worktree, expect), known }, signal);
}

/** A contract of the parent names files of the parent's checkout. */
function expectedIn(worktree: AgentWorktree | undefined, expect: AgentExpect): AgentExpect {
  if (!worktree || !expect.files) return expect;
  return { ...expect, files: expect.files.map((file) => worktree.pathIn(file)) };
}

/** Opens a worktree and waits in the middle of a step, until it is killed: `bun session-to-kill.ts <place as JSON> <step>`. */
import { findRepository } from "../../../src/platform/git/repository.ts";
import { Worktrees } from "../../../src/services/worktree/worktrees.ts";

const [place = "{}", step] = process.argv.slice(2);
const { dir, program, environment, records, folder } = JSON.parse(place);
const signal = new AbortController().signal;
const repository = findRepository(dir);
if (!repository) throw new Error("There is no repository.");

function waitForEver(): Promise<never> {
  console.log("here");
  return new Promise(() => setInterval(() => undefined, 1_000));
}

const worktrees = new Worktrees({
  ...{ repository, git: { program, environment, isTrusted: true }, origin: dir, records, folder },
  setUp: async () => (step === "creating" ? waitForEver() : undefined),
  removed: async () => (step === "removing" ? waitForEver() : undefined),
});
const held = await worktrees.open({ name: "fix" }, signal);
if (step === "removing") await held.leave(signal);
else await waitForEver();

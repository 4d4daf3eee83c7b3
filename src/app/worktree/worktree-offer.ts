import type { RestoredSession } from "../../contracts/session.ts";
import type { SessionState } from "../../engine/session-state.ts";

/** The tools that move the conversation into a worktree and back. */
export const WORKTREE_TOOLS: readonly string[] = ["EnterWorktree", "ExitWorktree"];

const NAMES_WORKTREE = /\bwork-?\s?trees?\b/i;

type Parts = {
  readonly state: Pick<SessionState, "prompts" | "onChanged">;
  readonly restored: Pick<RestoredSession, "entries"> | undefined;
  /** `--tools` */
  readonly named: readonly string[] | undefined;
};

/**
 * Decides when the tools for worktrees join the others: with the first prompt that names a worktree, because only the
 * person decides where the conversation works. Until then they cost no tokens.
 */
export class WorktreeOffer {
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  #isOffered: boolean;

  constructor({ state, restored, named = [] }: Parts) {
    const wasNamed = restored?.entries.some(
      (entry) =>
        entry.kind === "worktree" ||
        // The prompt that named one may be older than the last compaction.
        (entry.kind === "setup" && WORKTREE_TOOLS.some((tool) => entry.tools.includes(tool))) ||
        (entry.kind === "user" && !entry.by && NAMES_WORKTREE.test(entry.prompt)),
    );
    this.#isOffered = wasNamed === true || WORKTREE_TOOLS.some((tool) => named.includes(tool));
    this.#stop = state.onChanged((change) => {
      if (change === "prompts") this.notePrompt(state.prompts.at(-1) ?? "");
    });
  }

  /** Offers the tools if the person's words name a worktree. */
  notePrompt(words: string): void {
    if (NAMES_WORKTREE.test(words)) this.offer();
  }

  get isOffered(): boolean {
    return this.#isOffered;
  }

  offer(): void {
    if (this.#isOffered) return;
    this.#isOffered = true;
    for (const listener of this.#listeners) listener();
  }

  /** @returns the function that ends the subscription. */
  onOffered(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }
}

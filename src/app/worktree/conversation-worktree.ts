import type { AgentCheckout } from "../../contracts/agent-scope.ts";
import { asToolError, ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import type { FireHook } from "../../contracts/hook.ts";
import { isOpenTask, type TaskInfo, type Tasks } from "../../contracts/task.ts";
import { isInside } from "../../platform/paths.ts";
import type { PermissionScope, PermissionService } from "../../services/permission/permission-deps.ts";
import type {
  EnterRequest,
  ExitRequest,
  MovedConversation,
} from "../../services/tools/enter-worktree/worktree-control.ts";
import type { HeldWorktree, WorktreeRequest } from "../../services/worktree/held-worktree.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import type { EnteredFolders, MainFolders } from "../agent/main-folders.ts";
import { isolatedParts } from "./isolated-parts.ts";
import { openWorktrees } from "./open-worktrees.ts";
import { keptLine, untouched } from "./worktree-lines.ts";

export type ConversationWorktreeParts = Pick<AgentParts, "session" | "state"> & {
  readonly folders: MainFolders;
  /** The permissions in the starting folders. */
  readonly permissions: PermissionService;
  readonly fire: FireHook;
  readonly tasks: Pick<Tasks, "list">;
  notes(): PermissionScope["notes"];
  /**
   * Logs the worktree in which the conversation works from here on.
   * @param name The worktree's name; undefined for the starting folders.
   */
  record(name: string | undefined): void;
};

/** The worktree that the conversation is in. */
type Entered = {
  readonly folders: EnteredFolders;
  readonly held: HeldWorktree;
  readonly checkout: AgentCheckout;
  /** The tasks that were running when the conversation entered. */
  readonly before: ReadonlySet<string>;
};

/** Moves the main conversation into a worktree and back. */
export class ConversationWorktree {
  readonly #parts: ConversationWorktreeParts;
  /** Worktrees that the conversation left while agents or commands were still working in them. */
  readonly #left: Entered[] = [];
  #entered: Entered | undefined;

  constructor(parts: ConversationWorktreeParts) {
    this.#parts = parts;
  }

  /**
   * @throws {ToolFailedError} if there is no repository, the worktree can't be made, or the conversation is already in
   * a worktree.
   */
  async enter(
    request: EnterRequest & Pick<WorktreeRequest, "mustExist">,
    signal: AbortSignal,
  ): Promise<MovedConversation> {
    if (this.#entered)
      throw new ToolFailedError(`This conversation is in the worktree ${this.#entered.folders.name}: leave it first.`);
    const { checkout, held } = await this.#open(request, signal).catch(asToolError);
    await this.#parts.folders.moved();
    const { name, branch } = held.record;
    const on = branch === undefined ? "" : `, on the branch ${branch}`;
    const { top, cwd, replaces } = checkout;
    const has = held.isNew ? "with the committed files" : "with the work that was left there";
    return {
      summary: `in the worktree ${name}${on}`,
      text: `The working folder is ${cwd} now${on}: ${has}. A path in ${replaces} means the same path below ${top}. ${untouched(replaces)} Commit the work in the worktree.`,
    };
  }

  async #open(request: WorktreeRequest, signal: AbortSignal): Promise<Entered> {
    const { folders, fire } = this.#parts;
    const { repository, worktrees, folderIn } = openWorktrees(folders.start.environment, fire);
    const held = await worktrees.open(request, signal);
    try {
      const { path: top } = held.record;
      const replaces = repository.top;
      if (isInside(replaces, top) || isInside(top, replaces))
        throw new UserFacingError(`The worktree ${top} must be outside ${replaces}.`);
      const entered = this.#moved(held, { top, cwd: folderIn(top), replaces });
      // The log of a resumed conversation already contains the move.
      if (!request.mustExist) this.#parts.record(held.record.name);
      this.#entered = entered;
      folders.moveTo(entered.folders);
      return entered;
    } catch (error) {
      await held.leave(new AbortController().signal);
      throw error;
    }
  }

  #moved(held: HeldWorktree, checkout: AgentCheckout): Entered {
    const { session, folders, permissions: inStart, state, notes } = this.#parts;
    const { environment: from, workspace: outer } = folders.start;
    const isolated = isolatedParts({ session, environment: from, workspace: outer }, checkout, {
      asker: session.questions.asker(),
      rules: () => permissions.pathRules(),
    });
    const { environment, workspace, sandbox } = isolated;
    const scope = { agent: undefined, state, notes: notes(), checkout: isolated.checkout };
    const permissions = inStart.narrow(scope);
    const { name } = held.record;
    const before = new Set(this.#working().map(({ id }) => id));
    return { folders: { environment, workspace, sandbox, permissions, name }, held, checkout, before };
  }

  /** @throws {ToolFailedError} the conversation is not in a worktree, or a removal would lose work. */
  async exit({ action, discards }: ExitRequest, signal: AbortSignal): Promise<MovedConversation> {
    const entered = this.#entered;
    if (!entered) throw new ToolFailedError("This conversation has entered no worktree.");
    const { folders, record } = this.#parts;
    const { name, path, branch } = entered.held.record;
    const working = this.#working().filter(({ id }) => !entered.before.has(id));
    if (action === "remove") await this.#remove(entered, { discards, working }, signal);
    record(undefined);
    this.#entered = undefined;
    folders.moveTo(undefined);
    await folders.moved();
    if (working.length > 0) this.#left.push(entered);
    else await release(entered);
    const back = `The working folder is ${folders.workspace.cwd} again.`;
    if (action === "remove")
      return { summary: `removed the worktree ${name}`, text: `${back} The worktree is removed.` };
    const on = branch === undefined ? "" : `, branch ${branch}`;
    return { summary: `left the worktree ${name}`, text: `${back} The worktree ${name} stays: ${path}${on}.` };
  }

  async #remove(
    { folders: inside, held }: Entered,
    { discards, working }: { readonly discards: boolean; readonly working: readonly TaskInfo[] },
    signal: AbortSignal,
  ): Promise<void> {
    if (working.length > 0)
      throw new ToolFailedError(
        `The worktree stays: ${working.map(({ id, title }) => `${id} (${title})`).join(", ")} may still work in it. Stop that first.`,
      );
    const { folders } = this.#parts;
    // Hooks of the removal start in the working folder, which must exist.
    folders.moveTo(undefined);
    let why: string | undefined;
    try {
      const removal = await held.remove(discards, signal).catch(asToolError);
      why = removal.isRemoved ? undefined : removal.why;
    } catch (error) {
      folders.moveTo(inside);
      throw error;
    }
    if (why === undefined) return;
    folders.moveTo(inside);
    throw new ToolFailedError(
      `The worktree stays, and the conversation is still in it: ${why}. Merge or keep the work, or ask the user whether to discard it.`,
    );
  }

  /** Background work of the session. */
  #working(): readonly TaskInfo[] {
    return this.#parts.tasks.list().filter(isOpenTask);
  }

  /**
   * Leaves the worktree at the end of the session: the worktree is removed unless work would be lost.
   * @returns the line about a worktree that stays.
   */
  async close(): Promise<string | undefined> {
    const entered = this.#entered;
    this.#entered = undefined;
    for (const left of this.#left.splice(0)) await release(left);
    if (!entered) return undefined;
    const { folders } = this.#parts;
    folders.moveTo(undefined);
    await closeParts(entered);
    const removal = await entered.held.leave(new AbortController().signal);
    return removal.isRemoved ? undefined : keptLine(entered.held.record, removal.why, folders.environment.own.home);
  }
}

async function closeParts({ folders: { permissions, sandbox } }: Entered): Promise<void> {
  permissions.close();
  await sandbox.close();
}

async function release(entered: Entered): Promise<void> {
  await closeParts(entered);
  entered.held.release();
}

import { errorMessage } from "../../contracts/errors.ts";
import type { Skill } from "../../contracts/skill.ts";
import type { ChosenModel } from "../../engine/model-fallback.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { SkillHookEnvironment } from "../hooks/running-skill-hooks.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { SkillPermissions } from "./skill-permissions.ts";

type Parts = {
  readonly permissions: Pick<PermissionService, "leaseRules">;
  readonly state: Pick<SessionState, "model" | "skillEffort">;
  /** @throws {UserFacingError} the model cannot be used. */
  selectModel(name: string): Promise<ChosenModel>;
  readonly session: Pick<SessionParts, "hooks" | "notices">;
  readonly environment: SkillHookEnvironment;
};

/** The rules, the hooks, the model and the effort of the skills in use, which apply until the turn ends. */
export class SkillsInForce {
  readonly #parts: Parts;
  #ends: (() => void)[] = [];
  #setsModel = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Only tells the person if the model can't be used.
   * @throws {UserFacingError} a rule of `disallowed-tools` is invalid: the skill must not run without it.
   */
  async begin(skill: Skill, approved: SkillPermissions): Promise<void> {
    const { name, allowedTools, disallowedTools, model, effort, isForked } = skill;
    const { permissions, state } = this.#parts;
    const allow = approved.isApproved ? [...allowedTools, ...ownFiles(skill)] : [];
    if (allow.length + disallowedTools.length > 0)
      this.#ends.push(permissions.leaseRules({ allow, deny: disallowedTools }, `the skill ${name}`));
    if (approved.isApproved && skill.hooks !== undefined) await this.#leaseHooks(skill);
    if (isForked || !approved.isApproved) return;
    if (effort) {
      state.skillEffort = effort;
      this.#ends.push(() => {
        state.skillEffort = undefined;
      });
    }
    if (model !== undefined) await this.#chooseModel(skill.name, model);
  }

  /** True if a skill has set the model of this turn. */
  get setsModel(): boolean {
    return this.#setsModel;
  }

  /** The turn has ended. */
  end(): void {
    const ends = this.#ends.reverse();
    this.#ends = [];
    for (const end of ends) end();
  }

  async #leaseHooks(skill: Skill): Promise<void> {
    const { runningSkillHooks } = await import("../hooks/running-skill-hooks.ts");
    const { hooks, problems } = await runningSkillHooks(skill, this.#parts.environment);
    for (const problem of problems) this.#parts.session.notices.notify(problem);
    if (hooks.length > 0) this.#ends.push(await this.#parts.session.hooks.lease(hooks));
  }

  async #chooseModel(skill: string, model: string): Promise<void> {
    const { session, state, selectModel } = this.#parts;
    const before = state.model;
    try {
      const chosen = await selectModel(model);
      state.model = chosen;
      this.#setsModel = true;
      this.#ends.push(() => {
        this.#setsModel = false;
        if (state.model === chosen) state.model = before;
      });
    } catch (error) {
      session.notices.notify(`The skill ${skill} continues with ${before.model}: ${errorMessage(error)}`);
    }
  }
}

/** A rule for the files of a skill: a user's skill may be outside the workspace. */
function ownFiles({ format, folder }: Skill): readonly string[] {
  const isPlain = /^\/[\p{L}\p{N} ._/@+-]+$/u.test(folder);
  return format === "skill" && isPlain ? [`Read(/${folder}/**)`] : [];
}

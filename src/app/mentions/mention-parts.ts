import type { UserBlock } from "../../contracts/message.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { OutsideParts } from "../session/actions/run-outside-call.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

export type MentionParts = OutsideParts & {
  readonly main: OutsideParts["main"] & { readonly permissions: PermissionService };
  readonly delegation: Pick<Delegation, "types">;
  /** The folder for `~/`, and the folder in which the session began. */
  readonly place: Pick<ProjectEnvironment, "own" | "project">;
  /** Records that the model no longer has the results of these calls. */
  forgetResults(toolUseIds: ReadonlySet<string>): void;
  /** Tells the person one line. */
  tell(line: string, level?: "info"): void;
};

/**
 * The blocks of a mention for the model. `size`: a description for the person; `problem`: the reason why nothing was
 * attached.
 */
export type Attached = { readonly blocks: readonly UserBlock[] } & (
  | { readonly size: string }
  | { readonly problem: string }
);

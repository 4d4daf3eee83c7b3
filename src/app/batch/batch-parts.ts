import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import type { AskingCatalog } from "../../services/provider/catalog.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { ModelAccess } from "../model-access.ts";
import type { App } from "../open-app.ts";
import type { LateServers } from "../session/connect-servers.ts";
import type { LazySpend } from "../session/lazy-spend.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { OutsideParts } from "../session/run-outside-call.ts";
import type { ApproveSkill } from "../session/skill-powers.ts";

/** The parts of a session that its batches need. */
export type BatchParts = Omit<OutsideParts, "main" | "app"> & {
  readonly artifacts: ArtifactFolder;
  readonly app: Pick<App, "clock" | "ids">;
  readonly main: Agent;
  readonly place: ProjectEnvironment;
  readonly delegation: Pick<Delegation, "types">;
  readonly catalog: AskingCatalog;
  readonly access: ModelAccess;
  readonly spend: Pick<LazySpend, "watch">;
  readonly approveSkill: ApproveSkill;
  readonly servers: () => LateServers;
  lendHooks(declared: readonly DeclaredHook[], agentId?: string): Promise<() => void>;
  /** Tells the person one line. */
  tell(line: string): void;
};

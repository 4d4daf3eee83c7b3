import type { SpendGuard } from "../../contracts/spend.ts";
import type { AskingCatalog } from "../../services/provider/catalog.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { ModelAccess } from "../model-access.ts";
import type { App } from "../open-app.ts";
import type { OutsideParts } from "../session/actions/run-outside-call.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

/** The parts of a session that its batches need. */
export type BatchParts = Omit<OutsideParts, "main" | "app"> & {
  readonly app: Pick<App, "clock" | "ids">;
  readonly main: Agent;
  readonly place: ProjectEnvironment;
  readonly delegation: Delegation;
  readonly catalog: AskingCatalog;
  readonly access: ModelAccess;
  readonly spend: Pick<SpendGuard, "watch">;
  /** Tells the person one line. */
  tell(line: string): void;
};

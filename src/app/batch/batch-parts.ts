import type { SpendGuard } from "../../contracts/spend.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

/** The parts of a session that its batches need. */
export type BatchParts = {
  readonly main: Agent;
  readonly place: ProjectEnvironment;
  readonly spend: Pick<SpendGuard, "watch">;
};

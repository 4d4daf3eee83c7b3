import type { ModelCatalog } from "../../../contracts/ports.ts";
import type { QuestionDesk } from "../../../contracts/question.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import type { Closers } from "../../closers.ts";
import type { App } from "../../open-app.ts";
import type { OpenedConversation } from "../open-conversation.ts";
import type { ProjectEnvironment } from "../project-environment.ts";
import { type LazySpend, lazySpend } from "./lazy-spend.ts";

type Parts = {
  readonly app: Pick<App, "own">;
  readonly config: Pick<SessionConfig, "maxBudgetUsd" | "answerer">;
  readonly place: ProjectEnvironment;
  readonly catalog: ModelCatalog;
  readonly conversation: OpenedConversation;
  readonly broker: Pick<QuestionDesk, "asker">;
  readonly closers: Pick<Closers, "defer">;
  /** Tells the person one line. */
  notice(line: string): void;
};

/**
 * The guard of the session's spending. Every model request passes this guard, so changed settings apply before the
 * request.
 */
export function sessionSpend(parts: Parts): LazySpend {
  const { app, config, place, catalog, conversation, broker, closers, notice } = parts;
  const guard = lazySpend({
    data: app.own.data,
    projectRoot: place.project.root,
    settings: place.settings,
    maxBudgetUsd: config.maxBudgetUsd,
    catalog,
    sessionId: conversation.log.sessionId,
    isResumed: conversation.restored !== undefined,
    startedAt: conversation.restored?.startedAt,
    asker: (agent) => broker.asker(config.answerer !== "nobody", agent),
    notice,
  });
  closers.defer(() => guard.close());
  return {
    ...guard,
    reserve: async (plan, signal) => {
      await place.live.refresh();
      return guard.reserve(plan, signal);
    },
  };
}

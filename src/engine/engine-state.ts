import type { EngineState } from "../contracts/engine.ts";
import type { PermissionEngine } from "../contracts/permission.ts";
import type { Conversation } from "./conversation.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { InputQueue } from "./input-queue.ts";
import { inputSize } from "./request-size.ts";
import type { SpendBook } from "./spend-tally.ts";

type Agent = {
  readonly conversation: Conversation;
  /** The system prompt of the next request. */
  readonly system: string;
};
type Parts = {
  readonly spend: SpendBook;
  readonly queue: InputQueue;
  readonly isBusy: boolean;
};

/** The current state of an engine for the faces. */
export function engineState(deps: EngineDeps, agent: Agent, parts: Parts): EngineState {
  const { conversation, system } = agent;
  const { spend, queue, isBusy: busy } = parts;
  const { bySource: spendBySource, ...spent } = spend.total.spent;
  const { log, permissions, catalog, state, tools } = deps;
  const { model, effort, thinking, promptId } = state;
  return {
    sessionId: log.sessionId,
    ...(promptId !== undefined && { promptId }),
    model: model.model,
    providerName: model.provider.name,
    mode: permissions.mode,
    granted: grantedRules(permissions),
    busy,
    messages: conversation.messages,
    ...spent,
    spendBySource,
    usedTokens: conversation.messages.length === 0 ? 0 : inputSize(system, { conversation, tools }),
    windowTokens: catalog.capabilities(model.model).contextWindow,
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    queue: queue.items,
  };
}

/** The allow rules that apply until the session ends: from the person's answers and accepted plans. */
function grantedRules(permissions: Pick<PermissionEngine, "describe">): readonly string[] {
  const isGrant = ({ decision, layer, note }: ReturnType<PermissionEngine["describe"]>[number]) =>
    decision === "allow" && layer === "session" && note === undefined;
  return permissions.describe().flatMap((one) => (isGrant(one) ? [one.rule] : []));
}

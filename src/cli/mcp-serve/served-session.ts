import { runOutsideCall } from "../../app/session/actions/run-outside-call.ts";
import type { Session } from "../../app/session/open-session.ts";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import type { AgentRequest, CallScope, ServedAgent, ServedSession } from "../../contracts/served-session.ts";

/** A session in the form in which a face offers its tools to a program. */
export function servedSession(session: Session): ServedSession {
  const { main, debugging, conversation } = session;
  const { offered, workspace, engine } = main;
  const { sessionId } = conversation.log;
  const observe = (event: EngineEvent) => debugging.log?.observe({ sessionId, ...MAIN_AGENT, event });
  return {
    tools: () => offered.entries.map(({ value, source }) => ({ spec: value.spec, isOwn: source.kind === "builtin" })),
    onToolsChanged: (listener) => offered.onChanged(listener),
    questions: engine.questions,
    folders: workspace.roots,
    call: (call, { signal, tell }) => {
      const told = (event: EngineEvent) => {
        observe(event);
        tell(event);
      };
      return runOutsideCall(session, call, { signal, tell: told });
    },
    openAgent: (request, scope) => openServedAgent(session, request, scope),
    onNotice: (listener) =>
      session.subscribe(({ agentId, event }) => {
        if (agentId === MAIN_AGENT.agentId && event.type === "notice") listener(event.message);
      }),
    close: () => session.close(),
  };
}

const OFFLINE = "No model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model).";

async function openServedAgent(
  { main, subscribe, choice }: Session,
  { prompt, model, maxSteps, maxBudgetUsd }: AgentRequest,
  { signal, tell }: CallScope,
): Promise<ServedAgent> {
  const agent = await main.spawn(
    {
      ...(model !== undefined && { model }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxBudgetUsd !== undefined && { budget: { usd: maxBudgetUsd } }),
    },
    signal,
  );
  const isOffline = model === undefined && choice.provider === "offline" && choice.fallback;
  if (isOffline) tell({ type: "notice", message: OFFLINE });
  const id = agent.source.agentId;
  const unsubscribe = subscribe(({ agentId, event }) => {
    if (agentId === id) tell(event);
  });
  return {
    id,
    run: async () => {
      try {
        return await agent.run(prompt, signal);
      } finally {
        unsubscribe();
        await agent.close();
      }
    },
  };
}

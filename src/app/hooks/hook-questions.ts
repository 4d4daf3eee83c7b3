import { textOf } from "../../contracts/message.ts";
import { askAside } from "../../engine/ask-model.ts";
import type { AskForHook } from "../../services/hooks/prompt-hook.ts";
import { modelNamed } from "../choose-model.ts";
import type { HookParts } from "./hook-parts.ts";

const MAX_ANSWER_TOKENS = 1_000;
const MAX_AGENT_STEPS = 20;
/** The tools of an agent that a hook starts: it can only read. */
const READING_TOOLS = ["Read", "Grep", "Glob"];

/** Asks a model for a hook: one request outside the conversation, under the caps of the source `hook`. */
export function modelForHooks({ session, main }: Pick<HookParts, "session" | "main">): AskForHook {
  const { app, chosen, spend, watch } = session;
  const { access, catalog } = chosen;
  return async ({ system, prompt, model: name }, signal) => {
    const asked = name === undefined ? main()?.state.model : await modelNamed(name, access, catalog);
    if (!asked || asked.provider.name === "offline") throw new Error("no model is configured");
    const provider = watch.provider(asked.provider, "hook");
    const aside = { provider, model: asked.model, system, text: prompt, maxTokens: MAX_ANSWER_TOKENS } as const;
    const deps = { catalog, spend, ids: app.ids };
    const { content } = await askAside({ ...aside, source: "hook", mayAsk: false }, deps, signal);
    return textOf(content);
  };
}

/**
 * Starts an agent for a hook, which can only read, and returns the agent's last text.
 * @param opened Receives the agent's id.
 */
export function agentForHooks({ main }: Pick<HookParts, "main">, opened: (agentId: string) => void): AskForHook {
  return async ({ system, prompt, model }, signal) => {
    const parent = main();
    if (!parent) throw new Error("the session is not open yet");
    const scope = {
      systemPrompt: system,
      tools: READING_TOOLS,
      permissionMode: "dontAsk",
      maxSteps: MAX_AGENT_STEPS,
    } as const;
    const agent = await parent.spawn({ ...scope, ...(model !== undefined && { model }) }, signal);
    opened(agent.source.agentId);
    try {
      const { text, reason, message } = await agent.run(prompt, signal);
      signal.throwIfAborted();
      if (text === "") throw new Error(`the agent ended without an answer (${message ?? reason})`);
      return text;
    } finally {
      await agent.close();
    }
  };
}

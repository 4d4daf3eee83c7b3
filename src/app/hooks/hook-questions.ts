import { addUsage, textOf, type Usage } from "../../contracts/message.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { AskForHook } from "../../services/hooks/prompt-hook.ts";
import { modelNamed } from "../choose-model.ts";
import type { HookParts } from "./hook-parts.ts";

const MAX_ANSWER_TOKENS = 1_000;
const MAX_AGENT_STEPS = 20;
/** The tools of an agent that a hook starts: it can only read. */
const READING_TOOLS = ["Read", "Grep", "Glob"];

/** Asks a model for a hook: one request outside the conversation, under the caps of the source `hook`. */
export function modelForHooks({ session, main }: Pick<HookParts, "session" | "main">): AskForHook {
  const {
    chosen: { access, catalog },
    spend,
    watch,
  } = session;
  return async ({ system, prompt, model: name }, signal) => {
    const asked = name === undefined ? main()?.state.model : await modelNamed(name, access, catalog);
    if (!asked || asked.provider.name === "offline") throw new Error("no model is configured");
    const { model } = asked;
    const provider = watch.provider(asked.provider, "hook");
    const inputTokens = Math.ceil((system.length + prompt.length) / CHARS_PER_TOKEN);
    const plan = { source: "hook", model, provider: provider.name, inputTokens } as const;
    const held = await spend.reserve({ ...plan, maxOutputTokens: MAX_ANSWER_TOKENS, mayAsk: false }, signal);
    let used: Usage | undefined;
    let answeredBy: string | undefined;
    const spent = (usage: Usage) => {
      used = used ? addUsage(used, usage) : usage;
    };
    const messages = [{ role: "user", id: "hook", content: [{ type: "text", text: prompt }] }] as const;
    try {
      for await (const event of provider.stream(
        { model, system, messages, tools: [], maxTokens: MAX_ANSWER_TOKENS, spent },
        signal,
      )) {
        if (event.type !== "done") continue;
        answeredBy = event.message.model;
        return textOf(event.message.content.filter((block) => block.type === "text"));
      }
    } finally {
      await held.settle(used, answeredBy);
    }
    throw new Error("the model gave no answer");
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

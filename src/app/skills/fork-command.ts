import type { CommandResult, OperationProgress } from "../../contracts/command-result.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { Skill } from "../../contracts/skill.ts";
import { addAnswered } from "../../engine/add-answered.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import type { SkillUse } from "./run-skill.ts";

export type ForkParts = Pick<OpenedSession, "app" | "main" | "agents">;

/** A use of a skill, with text that hooks add to the skill's text. */
type ForkUse = SkillUse & { readonly context?: string };

/**
 * Runs a skill with `context: fork` that a person starts: a separate agent does the task. The person sees the agent's
 * answer, and both the prompt and the answer are part of the conversation.
 */
export function forkCommand(use: SkillUse, parts: ForkParts): CommandResult {
  const { skill, argument } = use;
  const typed = `/${skill.name} ${argument}`.trim();
  return {
    kind: "operation",
    title: `${typed}: a separate agent works`,
    prompt: typed,
    async run(report, signal, context) {
      const answer = await runFork({ ...use, ...(context !== undefined && { context }) }, parts, report, signal);
      const { engine } = parts.main;
      await addAnswered({ typed, prompt: noteOf(typed, skill), answer }, engine, parts.app.ids).catch(
        (error: unknown) => engine.notify(`The model does not get this answer: ${errorMessage(error)}`),
      );
      return { kind: "text", lines: answer.split("\n") };
    },
  };
}

async function runFork(
  use: ForkUse,
  { app, main, agents }: ForkParts,
  report: (progress: OperationProgress) => void,
  signal: AbortSignal,
): Promise<string> {
  // Readers of the events distinguish the agent's messages from the session's own by the id of a call.
  const parentToolUseId = app.ids.next();
  const stop = agents.subscribe(({ event, parentToolUseId: of }) => {
    if (of === parentToolUseId && event.type === "tool_started")
      report({ text: `${event.use.name} ${event.title}`.trim() });
  });
  try {
    const { agent, tasks } = main.toolPorts;
    const answer = await main.skills.answerInAgent(use, {
      agent,
      tasks,
      spawnAgent: (scope, aborted) => main.spawn({ ...scope, parentToolUseId }, aborted),
      emit: (event) => {
        if (event.type === "notice") main.engine.notify(event.message);
      },
      signal,
    });
    return answer;
  } finally {
    stop();
    main.skills.endUse();
  }
}

function noteOf(typed: string, { name }: Skill): string {
  return `The user ran ${typed}. A separate agent did the task of the skill ${name}. The user has seen its answer, which follows.`;
}

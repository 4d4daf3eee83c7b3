import { callContext } from "../contracts/call-context.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import { type ToolResultBlock, type ToolUseBlock, textOf } from "../contracts/message.ts";
import { makeGrant } from "../contracts/subject.ts";
import { redactProgress, redactResult } from "./redact-result.ts";
import type { TurnDeps } from "./turn.ts";

type Deps = Pick<TurnDeps, "tools" | "ids" | "clock" | "cwd" | "redactor" | "toolPorts">;

/**
 * Runs a command that the person typed with `!`. No rule is checked, because the person runs the command themselves.
 * The screen shows the command as a Bash call.
 * @returns the text that the model gets with the next input.
 */
export async function runUserShell(
  command: string,
  deps: Deps,
  emit: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<string> {
  const toolUseId = deps.ids.next();
  const input = { command };
  const use: ToolUseBlock = { type: "tool_use", id: toolUseId, name: "Bash", input };
  const startedAt = deps.clock.monotonicMs();
  emit({ type: "tool_started", use, title: command, level: "execute" });
  const { result, display } = await run();
  const durationMs = Math.round(deps.clock.monotonicMs() - startedAt);
  emit({ type: "tool_finished", result, durationMs, ...(display && { display }) });
  return `The user ran this command themselves:\n$ ${command}\n${textOf(result.content)}`;

  async function run() {
    const block = (content: ToolResultBlock["content"], isError: boolean): ToolResultBlock => ({
      type: "tool_result",
      toolUseId,
      content,
      isError,
    });
    try {
      const { tool } = deps.tools.get("Bash");
      const call = await tool.prepare(input, callContext(deps.toolPorts, { toolUseId, cwd: deps.cwd(), signal, emit }));
      const grant = makeGrant({ toolUseId, confinement: "none", notes: [], decidedBy: { kind: "person" } });
      const redactor = await deps.redactor();
      const ran = redactResult(
        await call.run(grant, (progress) =>
          emit({ type: "tool_progress", toolUseId, progress: redactProgress(progress, redactor) }),
        ),
        redactor,
      );
      const { wholeIn } = ran;
      const shown = block(ran.content, ran.isError ?? false);
      return { result: { ...shown, ...(wholeIn !== undefined && { wholeIn }) }, display: ran.display };
    } catch (error) {
      return { result: block(errorMessage(error), true), display: undefined };
    }
  }
}

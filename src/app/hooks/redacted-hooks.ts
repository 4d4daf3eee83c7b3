import type { HookOutcome, HookRefusal, Hooks } from "../../contracts/hook.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { redactContent } from "../../engine/redact-result.ts";

type LoadRedactor = () => Promise<Redactor>;

/** Wraps hooks so that credentials in their texts are hidden from the model, the log and the screen. */
export function redactedHooks(hooks: Hooks, redactor: LoadRedactor): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    run: async (input, signal) => redactOutcome(await hooks.run(input, signal), redactor),
  };
}

/** The redactor is loaded only for an outcome with a text. */
export async function redactOutcome(outcome: HookOutcome, load: LoadRedactor): Promise<HookOutcome> {
  const { block, stop, permission, answer, additionalContext, systemMessage, updatedOutput, displayText } = outcome;
  const texts = [block, stop, permission, answer, additionalContext, systemMessage, updatedOutput, displayText];
  if (texts.every((text) => text === undefined)) return outcome;
  const redactor = await load();
  const hide = (text: string) => redactor.redact(text);
  const hidden = <Refusal extends HookRefusal>({ brief, ...rest }: Refusal) => ({
    ...rest,
    reason: hide(rest.reason),
    ...(brief !== undefined && { brief: hide(brief) }),
  });
  return {
    ...outcome,
    ...(block && { block: hidden(block) }),
    ...(stop && { stop: { reason: hide(stop.reason) } }),
    ...(permission && { permission: hidden(permission) }),
    ...(answer?.behavior === "deny" && { answer: hidden(answer) }),
    ...(additionalContext !== undefined && { additionalContext: hide(additionalContext) }),
    ...(systemMessage !== undefined && { systemMessage: hide(systemMessage) }),
    ...(displayText !== undefined && { displayText: hide(displayText) }),
    ...(updatedOutput !== undefined && { updatedOutput: redactContent(updatedOutput, redactor) }),
  };
}

import type { HookOutcome, Hooks } from "../../contracts/hook.ts";
import { failedHook } from "./failed-hook.ts";

type Permission = NonNullable<HookOutcome["permission"]>;

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Combines the hooks of several sources: they run in parallel, and their answers are merged in the order of the
 * sources.
 */
export function combineHooks(sources: readonly Hooks[]): Hooks {
  return {
    wants: (event, toolName) => sources.some((one) => one.wants(event, toolName)),
    async run(input, signal) {
      const toolName = "toolName" in input ? input.toolName : undefined;
      const wanting = sources.filter((one) => one.wants(input.event, toolName));
      const outcomes = wanting.map((one) =>
        one.run(input, signal).catch((error: unknown) => failedHook({ event: input.event, error }, signal)),
      );
      return mergeOutcomes(await Promise.all(outcomes));
    },
  };
}

/** Merges all answers: the strictest verdict, the joined texts, the last of the changed inputs and results. */
export function mergeOutcomes(outcomes: readonly HookOutcome[]): HookOutcome {
  const block = outcomes.find((one) => one.block)?.block;
  const stop = outcomes.find((one) => one.stop)?.stop;
  const permission = outcomes
    .flatMap((one) => (one.permission ? [one.permission] : []))
    .reduce<Permission | undefined>(stricter, undefined);
  const updatedInput = outcomes.findLast((one) => one.updatedInput)?.updatedInput;
  const updatedOutput = outcomes.findLast((one) => one.updatedOutput !== undefined)?.updatedOutput;
  const additionalContext = joined(outcomes.map((one) => one.additionalContext));
  const systemMessage = joined(outcomes.map((one) => one.systemMessage));
  return {
    ...(block && { block }),
    ...(permission && { permission }),
    ...(updatedInput && { updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput }),
    ...(additionalContext !== undefined && { additionalContext }),
    ...(systemMessage !== undefined && { systemMessage }),
    ...(stop && { stop }),
    ...mergedAnswers(outcomes),
  };
}

/** A denial overrides a permission, and a refused elicitation overrides an accepted one. */
function mergedAnswers(outcomes: readonly HookOutcome[]): HookOutcome {
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  const last = answers.find(({ behavior }) => behavior === "deny") ?? answers.at(-1);
  const updates = answers.flatMap((one) => (one.behavior === "allow" ? (one.updates ?? []) : []));
  const answer = last?.behavior === "allow" && updates.length > 0 ? { ...last, updates } : last;
  const elicitations = outcomes.flatMap(({ elicitation }) => elicitation ?? []);
  const elicitation = elicitations.find(({ action }) => action !== "accept") ?? elicitations[0];
  const watchPaths = outcomes.flatMap((one) => one.watchPaths ?? []);
  const worktreePath = outcomes.findLast((one) => one.worktreePath !== undefined)?.worktreePath;
  const displayText = outcomes.findLast((one) => one.displayText !== undefined)?.displayText;
  return {
    ...(answer && { answer }),
    ...(elicitation && { elicitation }),
    ...(watchPaths.length > 0 && { watchPaths }),
    ...(outcomes.some(({ retry }) => retry) && { retry: true }),
    ...(worktreePath !== undefined && { worktreePath }),
    ...(displayText !== undefined && { displayText }),
  };
}

function stricter(a: Permission | undefined, b: Permission): Permission {
  return a && STRICTNESS[a.decision] >= STRICTNESS[b.decision] ? a : b;
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const said = texts.filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join("\n");
}

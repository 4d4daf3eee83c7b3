import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { RegisteredHandler } from "../../services/extensions/definitions.ts";
import { type FaultyCode, withinTime } from "../../services/extensions/within-time.ts";
import { matcherProblem } from "../../services/hooks/hook-matcher.ts";
import { HookRunner, type RegisteredHook } from "../../services/hooks/run-hooks.ts";
import type { ChosenExtension } from "./chosen-extensions.ts";
import type { ExtensionFaults } from "./extension-faults.ts";

const HANDLER_MS = 10_000;
/** The runner's own limit is only a safeguard against code that ignores Quoll's limit. */
const SPARE_MS = 1_000;
const MAX_CONTEXT_CHARS = 100_000;

export type HandlersOf = {
  readonly extension: ChosenExtension;
  readonly code: FaultyCode;
  readonly parts: { readonly handlers: readonly RegisteredHandler[] };
};

/** The functions of extensions as hooks; undefined if there are none. */
export function extensionHooks(all: readonly HandlersOf[], faults: Pick<ExtensionFaults, "report">) {
  const hooks = all.flatMap(({ extension, code, parts }) =>
    parts.handlers.flatMap((registered, at) => hookOf(registered, { at, extension, code, faults })),
  );
  const [first] = all;
  if (!first || hooks.length === 0) return undefined;
  const runner = new HookRunner(first.code.clock);
  runner.register(hooks);
  return runner;
}

type About = Pick<HandlersOf, "extension" | "code"> & {
  readonly at: number;
  readonly faults: Pick<ExtensionFaults, "report">;
};

function hookOf({ event, handler, options }: RegisteredHandler, about: About): readonly RegisteredHook[] {
  const { at, extension, code, faults } = about;
  const { matcher, onFailure, timeoutMs: ms = HANDLER_MS } = options;
  const problem = matcherProblem(matcher ?? "");
  if (problem !== undefined) {
    faults.report(extension, `the matcher ${JSON.stringify(matcher)} of ${event} matches nothing: ${problem}`);
    return [];
  }
  const run = async (input: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    try {
      const given = { ...structuredClone(input), ...identityOf(input) };
      const answer: unknown = await withinTime((limited) => handler(given, { signal: limited }), {
        ...code,
        ms,
        signal,
      });
      if (answer === undefined || answer === null) return {};
      if (!isJsonObject(answer)) throw new Error("its answer was not an object");
      return shortened(answer, (line) => code.fault(`at ${event}: ${line}`));
    } catch (error) {
      if (!signal.aborted) code.fault(`at ${event}: ${errorMessage(error)}`);
      throw error;
    }
  };
  return [
    {
      id: `${extension.file}:${at}`,
      event,
      matcher,
      run,
      name: `The extension ${extension.shown} (${event})`,
      signature: `the extension ${extension.shown} (${event})`,
      timeoutMs: ms + SPARE_MS,
      blocksOnFailure: onFailure === "block",
      // As for hooks of a plugin or project: an approval does not show which permissions a handler would give.
      onlyTightens: extension.origin !== "user",
    },
  ];
}

/** Context for the model is cut before any other processing; as for hooks, a long text is written to a file. */
function shortened(answer: JsonObject, fault: (line: string) => void): JsonObject {
  const specific = answer["hookSpecificOutput"];
  if (!isJsonObject(specific)) return answer;
  const { additionalContext: text } = specific;
  if (typeof text !== "string" || text.length <= MAX_CONTEXT_CHARS) return answer;
  fault(`its additionalContext of ${text.length} characters was cut to ${MAX_CONTEXT_CHARS}`);
  const additionalContext = text.slice(0, MAX_CONTEXT_CHARS).toWellFormed();
  return { ...answer, hookSpecificOutput: { ...specific, additionalContext } };
}

/** The fields that every event has. */
function identityOf({ hook_event_name: event, session_id: id, cwd }: JsonObject) {
  return { hook_event_name: String(event), session_id: String(id), cwd: String(cwd) };
}

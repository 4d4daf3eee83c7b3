import { oneLine } from "@quoll/terminal-text/one-line";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { HookOutcome } from "../../contracts/hook.ts";
import type { HooksView, ListedHook } from "../../contracts/hooks-view.ts";
import { shortPath } from "../../platform/directories.ts";
import type { CommandEnd } from "../../services/hooks/command-answer.ts";
import { hookKey, hookPlace } from "../../services/hooks/registered-hook.ts";
import type { HookRun } from "../../services/hooks/run-hooks.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

const MAX_RUNS = 5;
const MAX_ANSWER_COLUMNS = 2_000;

type Parts = Pick<OpenedSession, "environment" | "hooks">;

/** The hooks of settings files for a person: their sources, their recent runs, and their answers to a sample event. */
export function hooksView({ environment, hooks }: Parts): HooksView {
  return {
    settingsFile: shortPath(environment.userSettingsFile, environment.own.home),
    hasManagedOnly: environment.hasManagedHooksOnly,
    list: () => (hooks.ofSettings?.declared ?? []).map((one) => listed(one, hooks.ofSettings?.runs ?? [], environment)),
    unapproved: () => environment.unapproved.flatMap(({ kind, lines }) => (kind === "hook" ? lines : [])),
    async test({ declared }: ListedHook, signal) {
      const { sampleInput } = await import("../../services/hooks/sample-input.ts");
      const input = sampleInput(declared.event, environment.workspace.cwd);
      const given = `Input: ${oneLine(JSON.stringify(input), MAX_ANSWER_COLUMNS)}`;
      const current = hooks.ofSettings;
      if (!current) return [given];
      const startedMs = performance.now();
      const took = () => `${Math.round(performance.now() - startedMs)} ms`;
      let printed: readonly string[] = [];
      const note = (end: CommandEnd) => {
        printed = printedLines(end);
      };
      try {
        const answer = await current.runKind(declared, input, signal, { printed: note });
        return [given, `Answer after ${took()}: ${oneLine(JSON.stringify(answer), MAX_ANSWER_COLUMNS)}`, ...printed];
      } catch (error) {
        signal.throwIfAborted();
        return [given, `It failed after ${took()}: ${errorMessage(error)}.`, ...printed];
      }
    },
  };
}

/** Lists what a command has printed beside its answer. After an exit code other than 0, the answer itself contains stderr. */
function printedLines({ exitCode, stdout, stderr }: CommandEnd): readonly string[] {
  if (exitCode !== 0) return [];
  const text = stdout.trim();
  const shown = { stdout: text.startsWith("{") ? "" : text, stderr: stderr.trim() };
  return Object.entries(shown).flatMap(([name, said]) =>
    said === "" ? [] : [`On ${name}: ${oneLine(said, MAX_ANSWER_COLUMNS)}`],
  );
}

function listed(declared: DeclaredHook, runs: readonly HookRun[], { project, own }: ProjectEnvironment): ListedHook {
  const { file, plugin } = declared;
  const inside = shortPath(file, own.home, project.root);
  const shown = file.startsWith("/") && !plugin ? inside : file;
  const mine = runs.filter(({ id, event }) => id === hookKey(declared) && event === declared.event);
  return {
    declared,
    place: hookPlace({ ...declared, file: shown }),
    runs: mine
      .slice(-MAX_RUNS)
      .reverse()
      .map(({ at, durationMs, outcome, end }) => ({
        at,
        durationMs,
        outcome: end === "answered" ? words(outcome) : end,
      })),
  };
}

function words({
  block,
  permission,
  answer,
  stop,
  updatedInput,
  updatedOutput,
  additionalContext,
}: HookOutcome): string {
  if (stop) return "ended the turn";
  if (block || permission?.decision === "deny" || answer?.behavior === "deny") return "blocked";
  if (permission) return permission.decision === "ask" ? "asked" : "allowed";
  if (answer) return "allowed";
  if (updatedInput) return "changed the input";
  if (updatedOutput !== undefined) return "changed the result";
  return additionalContext === undefined ? "ok" : "added text";
}

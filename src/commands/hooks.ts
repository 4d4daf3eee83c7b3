import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { type HooksView, hookText, type ListedHook } from "../contracts/hooks-view.ts";

const MAX_TEXT_COLUMNS = 44;
const MAX_LINE_COLUMNS = 200;
const noHooks = (file: string) => `There are no hooks. Hooks belong in "hooks" of a settings file, such as ${file}.`;

const ONLY_MANAGED =
  "There are no hooks that may run: safe mode, or your organisation's settings, switch the others off.";

/** Lists the hooks of settings files, shows one hook with its last runs, and runs a hook with a sample. */
export const hooksCommand: Command = {
  name: "hooks",
  summary: "List your hooks with their last runs, and try one",
  argumentHint: "[number | test number]",
  needsNoServers: true,
  async run(argument, { hooks, now }, signal) {
    if (!hooks) throw new UserFacingError("This session has no hooks of settings.");
    const all = hooks.list();
    const [, isTest, number] = /^(test\s+)?(\d+)$/.exec(argument.trim()) ?? [];
    if (argument.trim() === "") return overview(all, hooks, now());
    const hook = all[Number(number) - 1];
    if (!hook)
      throw new UserFacingError(`There is no hook ${number ?? argument.trim()}: /hooks lists them with their numbers.`);
    if (!isTest) return { kind: "text", lines: detailsOf(hook, Number(number), now()) };
    return { kind: "text", lines: [titleOf(hook), ...(await hooks.test(hook, signal))] };
  },
};

function overview(all: readonly ListedHook[], view: HooksView, now: number): CommandResult {
  const { unapproved, settingsFile, hasManagedOnly } = view;
  const waiting = unapproved().map((line) => `Not approved, so it does not run: ${line}`);
  if (all.length === 0)
    return { kind: "text", lines: [hasManagedOnly ? ONLY_MANAGED : noHooks(settingsFile), ...waiting] };
  return {
    kind: "choose",
    title: `${plural(all.length, "hook")} of settings`,
    ...(waiting.length > 0 && { before: waiting }),
    choices: all.map((hook, at) => ({
      label: `${at + 1}. ${titleOf(hook)}`,
      detail: lastRun(hook, now),
      about: [oneLine(hookText(hook.declared.hook), MAX_LINE_COLUMNS), `from ${hook.place}`],
      input: `/hooks ${at + 1}`,
    })),
    lines: all.map((hook, at) => `${at + 1}. ${titleOf(hook)} · ${hook.place} · ${lastRun(hook, now)}`),
  };
}

function titleOf({ declared: { event, matcher, hook } }: ListedHook): string {
  const kind = hook.type === "command" ? "" : `${hook.type} `;
  return `${event}${matcher ? ` (${matcher})` : ""}: ${kind}${oneLine(hookText(hook), MAX_TEXT_COLUMNS)}`;
}

function lastRun({ runs: [last] }: ListedHook, now: number): string {
  return last ? runWords(last, now) : "not run yet";
}

function runWords({ at, durationMs, outcome }: ListedHook["runs"][number], now: number): string {
  return `${outcome} in ${formatDuration(durationMs)}, ${formatDuration(Math.max(0, now - at))} ago`;
}

function detailsOf(listed: ListedHook, number: number, now: number): readonly string[] {
  const { declared, place, runs } = listed;
  const { hook } = declared;
  const facts = [
    hook.if === undefined ? undefined : `only for ${hook.if}`,
    hook.timeout === undefined ? undefined : `at most ${hook.timeout} s`,
    hook.once ? "only once" : undefined,
    hook.async || hook.asyncRewake ? "in the background" : undefined,
    hook.onFailure === "block" ? "blocks if it fails" : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `${declared.event}${declared.matcher ? ` (${declared.matcher})` : ""}, ${hook.type}, from ${place}`,
    `  ${oneLine(hookText(hook), MAX_LINE_COLUMNS)}`,
    ...(facts.length > 0 ? [`  ${facts.join(", ")}`] : []),
    ...(runs.length === 0 ? ["  not run yet in this session"] : runs.map((run) => `  ${runWords(run, now)}`)),
    `\`/hooks test ${number}\` runs the hook with a sample.`,
  ];
}

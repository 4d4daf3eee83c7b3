import { basename, join } from "node:path";
import type { EngineState } from "../../contracts/engine.ts";
import { type JsonObject, totalInputTokens, type Usage } from "../../contracts/message.ts";
import type { ProviderLimits } from "../../contracts/rate-limits.ts";
import type { StatusLineScreen } from "../../contracts/status-line.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";
import { findRepository } from "../../platform/git/repository.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { modelName } from "./model-name.ts";
import type { SessionTally } from "./session-tally.ts";

const MAX_CONFIG_BYTES = 256 * 1024;
/** The names that Claude Code gives to the modes of vim keys. */
const VIM_NAMES: Readonly<Record<string, string>> = {
  normal: "NORMAL",
  insert: "INSERT",
  visual: "VISUAL",
  visualLine: "VISUAL LINE",
};
const LARGE_REQUEST_TOKENS = 200_000;
/** The windows of a plan, with their names in `/usage` and the names that Claude Code uses. */
const PLAN_WINDOWS = [
  ["5h", "five_hour"],
  ["7d", "seven_day"],
] as const;

/** The state of a session, from which the facts for a status line are made. Paths are absolute. */
export type StatusSources = {
  readonly engine: Pick<
    EngineState,
    | "sessionId"
    | "promptId"
    | "model"
    | "mode"
    | "messages"
    | "usage"
    | "costUsd"
    | "providerName"
    | "windowTokens"
    | "effort"
    | "thinking"
  >;
  readonly version: string;
  /** Empty when the session is not saved. */
  readonly transcriptPath: string;
  readonly cwd: string;
  /** The project root, the folder that the person trusts for it, and further folders of the session. */
  readonly projectRoot: string;
  readonly trustRoot: string;
  readonly addedFolders: readonly string[];
  readonly outputStyle: string;
  readonly agent: string | undefined;
  readonly tally: SessionTally;
  /** Milliseconds since the session was opened. */
  readonly openMs: number;
  readonly screen: StatusLineScreen;
};

/** Facts that only a command gets. */
export type CommandSources = StatusSources & {
  /** The limits that each provider reported with its newest answer. */
  readonly rateLimits: readonly ProviderLimits[];
  /** Undefined before the first prompt, and when the session is not saved. */
  readonly title: string | undefined;
};

/**
 * The JSON that a status line command gets: the fields that Claude Code documents. Facts that Quoll does not have are
 * left out.
 */
export function statusFacts(sources: CommandSources): JsonObject {
  const { engine, version, transcriptPath, cwd, projectRoot, addedFolders, outputStyle, agent, screen, title } =
    sources;
  const { model, effort, thinking, sessionId, promptId, mode } = engine;
  const vim = screen.vim === undefined ? undefined : VIM_NAMES[screen.vim];
  return {
    hook_event_name: "Status",
    session_id: sessionId,
    ...(promptId !== undefined && { prompt_id: promptId }),
    ...(title !== undefined && { session_name: title }),
    transcript_path: transcriptPath,
    cwd,
    version,
    model: { id: model, display_name: modelName(model) },
    workspace: { current_dir: cwd, project_dir: projectRoot, added_dirs: [...addedFolders], ...gitFacts(cwd) },
    output_style: { name: outputStyle },
    permission_mode: mode,
    cost: costFacts(sources),
    ...windowFacts(engine),
    ...cacheFacts(engine.usage, sources.tally),
    ...planFacts(sources),
    ...(effort !== undefined && { effort: { level: effort } }),
    thinking: { enabled: thinking !== false },
    fast_mode: false,
    ...(vim !== undefined && { vim: { mode: vim } }),
    ...(agent !== undefined && { agent: { name: agent } }),
    ...worktreeFacts(sources),
  };
}

function costFacts({ engine, tally, openMs }: StatusSources): JsonObject {
  return {
    // Quoll never shows an unknown price as 0, but scripts compute with this field.
    total_cost_usd: engine.costUsd ?? 0,
    total_duration_ms: Math.round(openMs),
    total_api_duration_ms: Math.round(tally.apiMs),
    total_lines_added: tally.addedLines,
    total_lines_removed: tally.removedLines,
  };
}

/** How much of the window the last request used; percentages are null before the first request. */
function windowFacts({ messages, windowTokens }: StatusSources["engine"]): JsonObject {
  const last = messages.findLast((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0);
  const usage = last?.role === "assistant" ? last.usage : undefined;
  const inputTokens = usage ? totalInputTokens(usage) : 0;
  const isKnown = usage !== undefined && windowTokens > 0;
  const used = isKnown ? Math.min(100, Math.round((100 * inputTokens) / windowTokens)) : null;
  return {
    context_window: {
      total_input_tokens: inputTokens,
      total_output_tokens: usage?.outputTokens ?? 0,
      context_window_size: windowTokens,
      used_percentage: used,
      remaining_percentage: used === null ? null : 100 - used,
      current_usage: usage
        ? {
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            cache_creation_input_tokens: usage.cacheWriteTokens,
            cache_read_input_tokens: usage.cacheReadTokens,
          }
        : null,
    },
    exceeds_200k_tokens: inputTokens + (usage?.outputTokens ?? 0) > LARGE_REQUEST_TOKENS,
  };
}

function cacheFacts(usage: Usage, { cacheMisses }: SessionTally): JsonObject {
  const input = totalInputTokens(usage);
  if (input === 0) return {};
  const isObserved = usage.cacheReadTokens + usage.cacheWriteTokens > 0;
  const ratio = Math.round((1_000 * usage.cacheReadTokens) / input) / 1_000;
  return { prompt_cache: { caching_observed: isObserved, hit_ratio: ratio, misses: cacheMisses } };
}

/**
 * Percentages from 0 to 100, resets in seconds since 1970. Each window may be absent, because only some plans have it.
 */
function planFacts({ engine, rateLimits }: CommandSources): JsonObject {
  const told = rateLimits.find(({ provider }) => provider === engine.providerName)?.limits ?? [];
  const windows = PLAN_WINDOWS.flatMap(([shown, name]) => {
    const { used, resetsAt } = told.find((limit) => limit.name === shown) ?? {};
    if (used === undefined) return [];
    const end = resetsAt === undefined ? {} : { resets_at: Math.round(resetsAt / 1_000) };
    return [[name, { used_percentage: Math.round(1_000 * used) / 10, ...end }] as const];
  });
  return windows.length === 0 ? {} : { rate_limits: Object.fromEntries(windows) };
}

/** The linked worktree, and the repository on its host. */
function gitFacts(cwd: string): JsonObject {
  const repository = findRepository(cwd);
  if (!repository) return {};
  const { gitFolder, commonFolder } = repository;
  const repo = originOf(readSmallFile(join(commonFolder, "config"), MAX_CONFIG_BYTES) ?? "");
  return { ...(gitFolder !== commonFolder && { git_worktree: basename(gitFolder) }), ...(repo && { repo }) };
}

/** The worktree of a conversation, if Quoll made it. */
function worktreeFacts({ cwd, projectRoot, trustRoot }: StatusSources): JsonObject {
  const repository = findRepository(cwd);
  const isLinked = repository !== undefined && repository.gitFolder !== repository.commonFolder;
  const origin = trustRoot === projectRoot ? projectRoot : trustRoot;
  if (!isLinked || origin === repository.top) return {};
  const [branch, originalBranch] = [gitBranch(cwd), gitBranch(origin)];
  return {
    worktree: {
      name: basename(repository.top),
      path: repository.top,
      ...(branch !== undefined && { branch }),
      original_cwd: origin,
      ...(originalBranch !== undefined && { original_branch: originalBranch }),
    },
  };
}

/** The address forms of git: `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name.git`. */
const ADDRESS = /^(?:[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/|(?:[^@/:]+@)?([^/:]+):)(.+?)\/?$/i;
const ORIGIN = '[remote "origin"]';

/** The repository on its host, from the text of git's settings. */
export function originOf(config: string): { readonly [part in "host" | "owner" | "name"]: string } | undefined {
  const lines = config.split("\n").map((line) => line.trim());
  const inside = lines.slice(lines.indexOf(ORIGIN) + 1);
  const end = inside.findIndex((line) => line.startsWith("["));
  const section = lines.includes(ORIGIN) ? inside.slice(0, end < 0 ? inside.length : end) : [];
  const url = section.map((line) => /^url\s*=\s*(\S+)/.exec(line)?.[1]).find((found) => found !== undefined);
  const [, byScheme, byColon, path = ""] = ADDRESS.exec(url ?? "") ?? [];
  const host = byScheme ?? byColon;
  const parts = path.replace(/\.git$/, "").split("/");
  const name = parts.pop();
  const owner = parts.join("/");
  return host && name && owner ? { host, owner, name } : undefined;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCaptured } from "../processes/run-captured.ts";
import { type ConfigFile, readConfigFile, replaceConfigText } from "./held-config.ts";

export type GitConfig = {
  /** Absolute path of git. */
  readonly git: string;
  /** HOME and similar variables, for the user's own settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly file: ConfigFile;
};

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** A folder outside any repository, so that no repository's settings count. */
const NOWHERE = { cwd: "/", gitDir: "/nonexistent" } as const;

/**
 * The effective settings of a repository, including the user's own; names in lower case, as git prints them. Only
 * reads; git starts no other program.
 * @returns undefined when git fails.
 */
export async function readGitConfig(
  config: GitConfig,
  pattern: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const args = [`--git-dir=${config.file.commonDir}`, "config", "-z", "--get-regexp", pattern];
  const done = await runGit(config, args, signal);
  // 1: nothing matches.
  return done?.exitCode === 0 || done?.exitCode === 1 ? entries(done.stdout) : undefined;
}

/**
 * Changes only `branch.<name>.remote`, `.merge` and `.rebase` in a repository's own settings file; git compares the
 * texts before the file is changed.
 * @param allChanges The last of several changes for one branch counts.
 * @returns false without a change if another program holds git's lock or wrote in the meantime, if the file is no
 * longer `config.file`, or if git reads other differences in the new text.
 */
export async function changeBranchConfig(
  config: GitConfig,
  allChanges: readonly BranchChange[],
  signal: AbortSignal,
): Promise<boolean> {
  const changes = [...new Map(allChanges.map((change) => [change.branch, change])).values()];
  const before = readConfigFile(config.file);
  if (!before) return false;
  const after = Buffer.from(withTracking(before.toString("latin1"), changes.map(inBytes)), "latin1");
  const [now, then] = await Promise.all([settingsOf(config, before, signal), settingsOf(config, after, signal)]);
  if (!now || !then || !isWanted(now, then, changes)) return false;
  return after.equals(before) || replaceConfigText(config.file, before, after);
}

/** Names and values as the bytes that git stores, one character each. */
function inBytes({ branch, values }: BranchChange): BranchChange {
  const bytes = (text: string) => Buffer.from(text).toString("latin1");
  const pairs = Object.entries(values ?? {}).map(([key, value]) => [key, bytes(value)]);
  return { branch: bytes(branch), values: values && Object.fromEntries(pairs) };
}

/** Each setting of a text as git reads it: name, line break, value. */
async function settingsOf(
  config: GitConfig,
  text: Buffer,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "quoll-config-"));
  try {
    const copy = join(folder, "config");
    await writeFile(copy, text, { mode: 0o600 });
    const args = [`--git-dir=${NOWHERE.gitDir}`, "config", "--file", copy, "-z", "--list"];
    const listed = await runGit(config, args, signal);
    return listed?.exitCode === 0 ? listed.stdout.split("\0").filter((entry) => entry !== "") : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isWanted(before: readonly string[], after: readonly string[], changes: readonly BranchChange[]): boolean {
  const names = new Set(changes.flatMap((one) => changedKeys(one).map((key) => `branch.${one.branch}.${key}`)));
  const others = before.filter((entry) => !names.has(entry.split("\n")[0] ?? ""));
  const added = changes.flatMap(({ branch, values }) =>
    TRACKING_KEYS.flatMap((key) => (values?.[key] === undefined ? [] : [`branch.${branch}.${key}\n${values[key]}`])),
  );
  return [...others, ...added].join("\0") === after.join("\0");
}

function entries(listed: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const entry of listed.split("\0").filter((one) => one !== "")) {
    const at = entry.indexOf("\n");
    const name = at < 0 ? entry : entry.slice(0, at);
    found.set(name, [...(found.get(name) ?? []), at < 0 ? "true" : entry.slice(at + 1)]);
  }
  return found;
}

async function runGit({ git, env }: GitConfig, args: readonly string[], signal: AbortSignal) {
  const fixed = { ...env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
  const run = { file: git, args, cwd: NOWHERE.cwd, env: fixed, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const done = await runCaptured(run, signal);
  return done.kind === "ended" ? done : undefined;
}

/** The settings that connect a branch to its upstream. */
const TRACKING_KEYS = ["remote", "merge", "rebase"] as const;
type TrackingKey = (typeof TRACKING_KEYS)[number];

/** `values`: the settings to write; undefined removes all of `TRACKING_KEYS`. */
export type BranchChange = {
  readonly branch: string;
  readonly values: Readonly<Partial<Record<TrackingKey, string>>> | undefined;
};

const HEADER = /^\s*\[/;
const SETTING = /^\s*(\w+)\s*=.*(?<!\\)$/;
const PLAIN_VALUE = /^[\w./@+-]+$/;

function changedKeys({ values }: BranchChange): readonly TrackingKey[] {
  return TRACKING_KEYS.filter((key) => !values || values[key] !== undefined);
}

/**
 * Changes the tracking settings in the text of a repository's settings file. Only understands sections as git writes
 * them, one setting a line; the caller lets git compare the texts, because a person may have written them differently.
 * @param text May hold any bytes, one character each (latin1), and so may names and values.
 */
function withTracking(text: string, changes: readonly BranchChange[]): string {
  let lines = text.split("\n");
  for (const change of changes) lines = withoutTracking(lines, change);
  const kept = lines.join("\n");
  const added = changes.map(sectionOf).join("");
  return added === "" || kept === "" || kept.endsWith("\n") ? kept + added : `${kept}\n${added}`;
}

/** An empty section is removed too. */
function withoutTracking(lines: readonly string[], change: BranchChange): string[] {
  const header = `[branch "${escaped(change.branch)}"]`;
  const keys: readonly string[] = changedKeys(change);
  const isChanged = (line: string) => keys.includes(SETTING.exec(line)?.[1]?.toLowerCase() ?? "");
  const isOurs = (line: string) => line.trim().replace(/^\[branch/i, "[branch") === header;
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    while (end < lines.length && !HEADER.test(lines[end] ?? "")) end += 1;
    const section = lines.slice(at, end);
    const left = isOurs(section[0] ?? "") ? section.filter((line) => !isChanged(line)) : section;
    const isEmptied = left.length < section.length && left.slice(1).every((line) => line.trim() === "");
    // The last line break of the file is not part of the section.
    kept.push(...(isEmptied ? (end === lines.length ? [""] : []) : left));
    at = end;
  }
  return kept;
}

function sectionOf({ branch, values }: BranchChange): string {
  const settings = TRACKING_KEYS.flatMap((key) => {
    const value = values?.[key];
    return value === undefined ? [] : [`\t${key} = ${PLAIN_VALUE.test(value) ? value : `"${escaped(value)}"`}\n`];
  });
  return settings.length === 0 ? "" : `[branch "${escaped(branch)}"]\n${settings.join("")}`;
}

function escaped(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}

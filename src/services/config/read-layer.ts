import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { CONFIGURABLE_EVENTS } from "../../contracts/hook-events.ts";
import type { Decision } from "../../contracts/permission.ts";
import {
  type HeldSetting,
  permissionSettingsSchema,
  type RuleLayer,
  type RuleSource,
  type SettingsFile,
} from "../../contracts/settings.ts";
import { isSameState, readStamp } from "../../platform/files/file-stamp.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { type ParsedSettings, parseSettings } from "./parse-settings.ts";
import { takeProjectSettings } from "./project-layer.ts";

/** Settings are written by hand; a larger file is not a settings file. */
export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** The settings that take effect before the folder is trusted: only restrictions. */
const TIGHTENING: readonly Decision[] = ["deny", "ask"];

/** A blank file is read again after this delay, up to this number of times. */
const BLANK_WAIT_MS = 40;
const MAX_READS = 6;

/** Another tool's settings matter only where they restrict. */
const foreignSchema = z.object({
  sandbox: z
    .object({ autoAllowBashIfSandboxed: z.literal(false).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  permissions: permissionSettingsSchema
    .pick({ ask: true, deny: true, disableBypassPermissionsMode: true, disableAutoMode: true })
    .optional(),
});

export type Layer = {
  /** The settings that take effect, without rules. */
  readonly value: SettingsFile;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
  readonly held: readonly HeldSetting[];
  /** The whole text, for the positions of its parts; absent without a file. */
  readonly written?: ParsedSettings;
  readonly hooks: readonly DeclaredHook[];
};

/** A layer with the place that it was read from. */
export type NamedLayer = Layer & {
  readonly name: RuleLayer;
  /** A path, or the option that gave it. */
  readonly file: string;
};

export const EMPTY_LAYER: Layer = { value: {}, rules: [], warnings: [], held: [], hooks: [] };

/** @throws {UserFacingError} (exit 2) the file is unreadable or malformed. */
export async function readTrustedLayer(file: string, layer: RuleLayer, base: string): Promise<Layer> {
  const text = await readText(file);
  return text === undefined ? EMPTY_LAYER : trustedLayer(text, file, layer, base);
}

/** Like `readTrustedLayer`, for a given text. */
export function trustedLayer(text: string, file: string, layer: RuleLayer, base: string): Layer {
  const parsed = parseSettings(text, file);
  const rules = rulesOf(parsed, DECISIONS, { file, layer, base });
  const { permissions, sandbox } = parsed.value;
  const warnings = [...parsed.warnings];
  const ignored = (path: readonly string[], which: string) =>
    warnings.push(`${file}:${parsed.lineOf(path)}: ignored, because only ${which} may set it: ${path.join(".")}.`);
  if (layer !== "managed" && permissions?.allowManagedPermissionRulesOnly !== undefined)
    ignored(["permissions", "allowManagedPermissionRulesOnly"], "the managed file");
  for (const key of ["allowedMcpServers", "deniedMcpServers"] as const)
    if (layer !== "managed" && parsed.value[key] !== undefined) ignored([key], "the managed file");
  if (layer !== "own" && sandbox?.agreed !== undefined) ignored(["sandbox", "agreed"], "your own file for a project");
  if (layer !== "managed" && parsed.value.allowManagedHooksOnly !== undefined)
    ignored(["allowManagedHooksOnly"], "the managed file");
  return { value: parsed.value, rules, warnings, held: [], hooks: hooksOf(parsed, file, layer), written: parsed };
}

/**
 * A project's own settings, read once: restrictions take effect at once, the other allowed keys after the folder is
 * trusted. The version that the person saw takes effect, even if the file has changed meanwhile.
 */
export async function readProjectLayer(file: string, base: string): Promise<(isTrusted: boolean) => Layer> {
  const text = await readText(file);
  if (text === undefined) return () => EMPTY_LAYER;
  const parsed = parseSettings(text, file);
  const hooks = hooksOf(parsed, file, "project");
  return (isTrusted) => {
    const { value, held, warnings } = takeProjectSettings(parsed, file, isTrusted);
    return {
      value,
      rules: rulesOf(parsed, isTrusted ? DECISIONS : TIGHTENING, { file, layer: "project", base }),
      warnings: [...parsed.warnings, ...warnings],
      held,
      written: parsed,
      hooks,
    };
  };
}

/** Another tool's settings in the project: its deny and ask rules apply here too; the rest is ignored. */
export async function readForeignLayer(file: string, base: string): Promise<Layer> {
  const text = await readText(file);
  if (text === undefined) return EMPTY_LAYER;
  const parsed = parseSettings(text, file, foreignSchema);
  const rules = rulesOf(parsed, TIGHTENING, { file, layer: "foreign", base });
  return { ...EMPTY_LAYER, value: parsed.value, rules, written: parsed };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readWhole(file);
  } catch (error) {
    // A file in the place of the folder: there are no settings.
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new UserFacingError(
      `The settings file ${file} cannot be read (${errorMessage(error)}): make it readable, or move it out of ${dirname(file)}.`,
      2,
      { cause: error },
    );
  }
}

/**
 * The text of a file that may be in the middle of a write. An incomplete file is malformed and rejected, but a file that was emptied
 * before a rewrite would lose its deny rules, so a blank file must stay blank for a while.
 */
async function readWhole(file: string): Promise<string | undefined> {
  let before: FileStamp | undefined;
  for (let read = 0; read < MAX_READS; read += 1) {
    const text = await readSmallText(file, MAX_SETTINGS_BYTES);
    if (text === undefined || text.trim() !== "") return text;
    const stamp = await readStamp(realPathOrSelf(file));
    if (before && isSameState(before, stamp)) return text;
    before = stamp;
    await sleep(BLANK_WAIT_MS);
  }
  throw new Error("the file keeps changing");
}

/** The hooks of a file, in its order. */
function hooksOf(parsed: ParsedSettings, file: string, layer: RuleLayer): readonly DeclaredHook[] {
  const { hooks = {} } = parsed.value;
  return CONFIGURABLE_EVENTS.flatMap((event) =>
    (hooks[event] ?? []).flatMap(({ matcher, hooks: entries }, at) =>
      entries.map((hook, index) => {
        const line = parsed.lineOf(["hooks", event, at, "hooks", index]);
        return { event, matcher, hook, file, layer, ...(line !== undefined && { line }) };
      }),
    ),
  );
}

function rulesOf(
  parsed: ParsedSettings,
  decisions: readonly Decision[],
  place: Pick<RuleSource, "file" | "layer" | "base">,
): readonly RuleSource[] {
  return decisions.flatMap((decision) =>
    (parsed.value.permissions?.[decision] ?? []).map((entry, index) => {
      const at = ["permissions", decision, index];
      const line = parsed.lineOf(typeof entry === "string" ? at : [...at, "rule"]);
      const { rule, match, notMatch } = typeof entry === "string" ? { rule: entry } : entry;
      const examples = { ...(match && { match }), ...(notMatch && { notMatch }) };
      return { rule, decision, ...place, ...examples, ...(line !== undefined && { line }) };
    }),
  );
}

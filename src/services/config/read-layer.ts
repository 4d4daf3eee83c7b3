import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import {
  type HeldSetting,
  permissionSettingsSchema,
  type RuleLayer,
  type RuleSource,
  type SettingsFile,
} from "../../contracts/settings.ts";
import { type FileStamp, isSameState, readStamp } from "../../platform/files/file-stamp.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { type ParsedSettings, parseSettings } from "./parse-settings.ts";
import { takeProjectSettings } from "./project-layer.ts";

/** A settings file is written by hand: what is larger is something else. */
export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** What a project may say before its folder is trusted: it can only tighten. */
const TIGHTENING: readonly Decision[] = ["deny", "ask"];

/** A blank file is read again after this time, so many times at most. */
const BLANK_WAIT_MS = 40;
const MAX_READS = 6;

/** Of another tool's settings only what tightens concerns us. */
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
  /** What counts of it, rules left out of account. */
  readonly value: SettingsFile;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
  readonly held: readonly HeldSetting[];
};

export const EMPTY_LAYER: Layer = { value: {}, rules: [], warnings: [], held: [] };

/** @throws {UserFacingError} (exit 2) the file can't be read or is malformed. */
export async function readTrustedLayer(file: string, layer: RuleLayer, base: string): Promise<Layer> {
  const text = await readText(file);
  return text === undefined ? EMPTY_LAYER : trustedLayer(text, file, layer, base);
}

/** As `readTrustedLayer`, of a text that was given. */
export function trustedLayer(text: string, file: string, layer: RuleLayer, base: string): Layer {
  const parsed = parseSettings(text, file);
  const rules = rulesOf(parsed, DECISIONS, { file, layer, base });
  const { permissions, sandbox } = parsed.value;
  const warnings = [...parsed.warnings];
  const ignored = (path: readonly string[], which: string) =>
    warnings.push(`${file}:${parsed.lineOf(path)}: ignored, since only ${which} may set it: ${path.join(".")}.`);
  if (layer !== "managed" && permissions?.allowManagedPermissionRulesOnly !== undefined)
    ignored(["permissions", "allowManagedPermissionRulesOnly"], "the managed file");
  if (layer !== "own" && sandbox?.agreed !== undefined) ignored(["sandbox", "agreed"], "your own file for a project");
  return { value: parsed.value, rules, warnings, held: [] };
}

/**
 * A project's own settings, read once: what tightens counts at once, what a project may set besides once its folder is
 * trusted. What the person was shown is what then counts, whatever became of the file meanwhile.
 */
export async function readProjectLayer(file: string, base: string): Promise<(isTrusted: boolean) => Layer> {
  const text = await readText(file);
  if (text === undefined) return () => EMPTY_LAYER;
  const parsed = parseSettings(text, file);
  return (isTrusted) => {
    const { value, held, warnings } = takeProjectSettings(parsed, file, isTrusted);
    return {
      value,
      rules: rulesOf(parsed, isTrusted ? DECISIONS : TIGHTENING, { file, layer: "project", base }),
      warnings: [...parsed.warnings, ...warnings],
      held,
    };
  };
}

/** Another tool's settings in the project: what they forbid or ask holds here too; the rest is not ours to judge. */
export async function readForeignLayer(file: string, base: string): Promise<Layer> {
  const text = await readText(file);
  if (text === undefined) return EMPTY_LAYER;
  const parsed = parseSettings(text, file, foreignSchema);
  const rules = rulesOf(parsed, TIGHTENING, { file, layer: "foreign", base });
  return { value: parsed.value, rules, warnings: [], held: [] };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readWhole(file);
  } catch (error) {
    // A file stands in the place of the folder: then no settings do.
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new UserFacingError(
      `The settings file ${file} can't be read (${errorMessage(error)}): make it readable, or move it out of ${dirname(file)}.`,
      2,
      { cause: error },
    );
  }
}

/**
 * The text of a file that somebody may be writing just now. Half a file is malformed and refused, but one that was emptied
 * to be written anew would be settings without their deny rules: what is blank must stay so for a while.
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
  throw new Error("it is being changed all the time");
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

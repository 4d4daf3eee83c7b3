import { dirname } from "node:path";
import { z } from "zod";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import {
  permissionSettingsSchema,
  type RuleLayer,
  type RuleSource,
  type SettingsFile,
  settingsSchema,
} from "../../contracts/settings.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { type ParsedSettings, parseSettings } from "./parse-settings.ts";

/** A settings file is written by hand: what is larger is something else. */
export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** What a project may say before its folder is trusted: it can only tighten. */
const TIGHTENING: readonly Decision[] = ["deny", "ask"];

/** Of another tool's settings only the tightening rules concern us. */
const foreignSchema = z.object({
  permissions: permissionSettingsSchema.pick({ ask: true, deny: true }).optional(),
});

export type Layer = {
  /** Without rules that count and, of a project, without everything else. */
  readonly value: SettingsFile;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
};

export const EMPTY_LAYER: Layer = { value: {}, rules: [], warnings: [] };

/** @throws {UserFacingError} (exit 2) the file can't be read or is malformed. */
export async function readTrustedLayer(file: string, layer: RuleLayer, base: string): Promise<Layer> {
  const text = await readText(file);
  return text === undefined ? EMPTY_LAYER : trustedLayer(text, file, layer, base);
}

/** As `readTrustedLayer`, of a text that was given. */
export function trustedLayer(text: string, file: string, layer: RuleLayer, base: string): Layer {
  const parsed = parseSettings(text, file);
  return { value: parsed.value, rules: rulesOf(parsed, DECISIONS, file, layer, base), warnings: parsed.warnings };
}

/** A project's own settings: only `permissions.deny` and `permissions.ask` count. */
export async function readProjectLayer(file: string, base: string): Promise<Layer> {
  const text = await readText(file);
  if (text === undefined) return EMPTY_LAYER;
  const parsed = parseSettings(text, file);
  const ignored = ignoredParts(parsed.value);
  const warning = `${file}: ignored, since only permissions.deny and permissions.ask are read from a project: ${ignored.join(", ")}. Put them into your own settings.`;
  return {
    value: {},
    rules: rulesOf(parsed, TIGHTENING, file, "project", base),
    warnings: ignored.length === 0 ? parsed.warnings : [...parsed.warnings, warning],
  };
}

/** Another tool's settings in the project: what they deny or ask holds here too; the rest is not ours to judge. */
export async function readForeignLayer(file: string, base: string): Promise<Layer> {
  const text = await readText(file);
  if (text === undefined) return EMPTY_LAYER;
  const parsed = parseSettings(text, file, foreignSchema);
  return { value: {}, rules: rulesOf(parsed, TIGHTENING, file, "foreign", base), warnings: [] };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readSmallText(file, MAX_SETTINGS_BYTES);
  } catch (error) {
    throw new UserFacingError(
      `The settings file ${file} can't be read (${errorMessage(error)}): make it readable, or move it out of ${dirname(file)}.`,
      2,
      { cause: error },
    );
  }
}

function rulesOf(
  parsed: ParsedSettings,
  decisions: readonly Decision[],
  file: string,
  layer: RuleLayer,
  base: string,
): readonly RuleSource[] {
  return decisions.flatMap((decision) =>
    (parsed.value.permissions?.[decision] ?? []).map((entry, index) => {
      const line = parsed.lineOf(["permissions", decision, index]);
      const { rule, match, notMatch } = typeof entry === "string" ? { rule: entry } : entry;
      const examples = { ...(match && { match }), ...(notMatch && { notMatch }) };
      return { rule, decision, file, layer, base, ...examples, ...(line !== undefined && { line }) };
    }),
  );
}

function ignoredParts({ permissions = {}, ...rest }: SettingsFile): readonly string[] {
  const known = Object.keys(settingsSchema.shape);
  const top = Object.keys(rest).filter((name) => name !== "$schema" && known.includes(name));
  const inner = Object.keys(permissions).filter((name) => name !== "ask" && name !== "deny");
  return [...top, ...inner.map((name) => `permissions.${name}`)];
}

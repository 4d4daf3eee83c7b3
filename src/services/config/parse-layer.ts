import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { CONFIGURABLE_EVENTS } from "../../contracts/hook-events.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { RuleLayer, RuleSource } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { type ParsedSettings, parseSettings, type ReadParts } from "./parse-settings.ts";
import { takeProjectSettings } from "./project-policy.ts";
import { partOf, settingParts, settingsOf } from "./setting-keys.ts";
import { EMPTY_LAYER, type Layer } from "./settings-layer.ts";

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** The settings that take effect before the folder is trusted: only restrictions. */
const TIGHTENING: readonly Decision[] = ["deny", "ask"];

/** Another tool's settings matter only where they restrict. */
const FOREIGN: ReadParts = { keys: ["permissions", "sandbox"], pick: restrictionsIn };
const FOREIGN_BANS = ["disableBypassPermissionsMode", "disableAutoMode"] as const;

function restrictionsIn({ permissions, sandbox }: JsonObject): JsonObject {
  const isRefused = isJsonObject(sandbox) && sandbox["autoAllowBashIfSandboxed"] === false;
  return {
    ...(permissions !== undefined && { permissions: isJsonObject(permissions) ? banning(permissions) : permissions }),
    ...(isRefused && { sandbox: { autoAllowBashIfSandboxed: false } }),
  };
}

function banning(permissions: JsonObject): JsonObject {
  const read = Object.entries(permissions).filter(
    ([key, value]) =>
      key === "ask" || key === "deny" || (FOREIGN_BANS.some((ban) => ban === key) && value === "disable"),
  );
  return Object.fromEntries(read);
}

/** In safe mode, keys that only customise Quoll or run something are not read, so that a fault in them can't stop the start. */
const SAFE: ReadParts = {
  pick: (value) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => partOf(SETTINGS, key)?.safe !== "unread")),
};

/** The origin of a text. `base`: the folder that `/x` in a path rule is relative to. */
export type LayerSource = {
  readonly file: string;
  readonly layer: RuleLayer;
  readonly base: string;
  /** True if safe mode applies to the layer. */
  readonly isSafe?: boolean | undefined;
};

/** Like `readTrustedLayer`, for a given text. */
export function trustedLayer(text: string, source: LayerSource): Layer {
  const { file, layer, isSafe } = source;
  const parsed = parseSettings(text, file, isSafe ? SAFE : undefined);
  const parts = [...settingParts(parsed.value)];
  const misplaced = parts.filter(({ setting }) => setting.layer !== undefined && setting.layer !== layer);
  const ignored = misplaced.map(({ path, setting }) => {
    const which = setting.layer === "own" ? "your own file for a project" : "the managed file";
    return `${file}:${parsed.lineOf(path)}: ignored, because only ${which} may set it: ${path.join(".")}.`;
  });
  return inMode(source, {
    value: ignored.length === 0 ? parsed.value : settingsOf(parts.filter((part) => !misplaced.includes(part))),
    rules: rulesOf(parsed, DECISIONS, source),
    warnings: [...parsed.warnings, ...ignored],
    held: [],
    hooks: hooksOf(parsed, source),
    written: parsed,
  });
}

/** See `readProjectLayer`. @throws {UserFacingError} (exit 2) the text is malformed. */
export function projectLayer(text: string, source: LayerSource): (isTrusted: boolean) => Layer {
  const parsed = parseSettings(text, source.file, source.isSafe ? SAFE : undefined);
  const hooks = hooksOf(parsed, source);
  return (isTrusted) => {
    const { value, held, warnings } = takeProjectSettings(parsed, source.file, isTrusted);
    const rules = rulesOf(parsed, isTrusted ? DECISIONS : TIGHTENING, source);
    return inMode(source, { value, rules, warnings: [...parsed.warnings, ...warnings], held, written: parsed, hooks });
  };
}

/** See `readForeignLayer`. @throws {UserFacingError} (exit 2) the text is malformed. */
export function foreignLayer(text: string, source: LayerSource): Layer {
  const parsed = parseSettings(text, source.file, FOREIGN);
  const rules = rulesOf(parsed, TIGHTENING, source);
  const warnings = FOREIGN_BANS.flatMap((key) => {
    const line = parsed.lineOf(["permissions", key]);
    const isRead = line === undefined || parsed.value.permissions?.[key] !== undefined;
    return isRead ? [] : [`${source.file}:${line}: ignored, because it is not "disable": permissions.${key}.`];
  });
  return { ...EMPTY_LAYER, value: parsed.value, rules, warnings, written: parsed };
}

/** In safe mode, a layer counts without the parts that loosen permissions; deny and ask rules stay. */
function inMode({ isSafe }: LayerSource, layer: Layer): Layer {
  if (!isSafe) return layer;
  const counting = [...settingParts(layer.value)].filter(({ value, setting: { safe } }) =>
    typeof safe === "object" ? safe.only.includes(value) : safe === undefined,
  );
  return { ...layer, value: settingsOf(counting), rules: layer.rules.filter(({ decision }) => decision !== "allow") };
}

/** The hooks of a file, in its order. */
function hooksOf(parsed: ParsedSettings, { file, layer }: LayerSource): readonly DeclaredHook[] {
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
  { file, layer, base }: LayerSource,
): readonly RuleSource[] {
  return decisions.flatMap((decision) =>
    (parsed.value.permissions?.[decision] ?? []).map((entry, index) => {
      const at = ["permissions", decision, index];
      const line = parsed.lineOf(typeof entry === "string" ? at : [...at, "rule"]);
      const { rule, match, notMatch } = typeof entry === "string" ? { rule: entry } : entry;
      const examples = { ...(match && { match }), ...(notMatch && { notMatch }) };
      return { rule, decision, file, layer, base, ...examples, ...(line !== undefined && { line }) };
    }),
  );
}

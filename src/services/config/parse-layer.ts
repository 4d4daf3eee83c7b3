import { z } from "zod";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { CONFIGURABLE_EVENTS } from "../../contracts/hook-events.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { RuleLayer, RuleSource } from "../../contracts/settings.ts";
import { permissionSettingsSchema } from "../../contracts/settings-schema.ts";
import { EMPTY_LAYER, type Layer } from "./layer.ts";
import { type ParsedSettings, parseSettings } from "./parse-settings.ts";
import { takeProjectSettings } from "./project-layer.ts";

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** The settings that take effect before the folder is trusted: only restrictions. */
const TIGHTENING: readonly Decision[] = ["deny", "ask"];

const BAN = z.literal("disable").optional().catch(undefined);

/** Another tool's settings matter only where they restrict. */
const foreignSchema = z.object({
  sandbox: z
    .object({ autoAllowBashIfSandboxed: z.literal(false).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  permissions: permissionSettingsSchema
    .pick({ ask: true, deny: true })
    .extend({ disableBypassPermissionsMode: BAN, disableAutoMode: BAN })
    .optional(),
});
const FOREIGN_BANS = ["disableBypassPermissionsMode", "disableAutoMode"] as const;

/** Tells which top-level keys of a file are left out unread. */
export type LeftOut = (key: string) => boolean;

/** Like `readTrustedLayer`, for a given text. */
export function trustedLayer(text: string, file: string, layer: RuleLayer, base: string, left?: LeftOut): Layer {
  const parsed = parseSettings(text, file, undefined, left);
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

/** See `readProjectLayer`. @throws {UserFacingError} (exit 2) the text is malformed. */
export function projectLayer(text: string, file: string, base: string, left?: LeftOut): (isTrusted: boolean) => Layer {
  const parsed = parseSettings(text, file, undefined, left);
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

/** See `readForeignLayer`. @throws {UserFacingError} (exit 2) the text is malformed. */
export function foreignLayer(text: string, file: string, base: string): Layer {
  const parsed = parseSettings(text, file, foreignSchema);
  const rules = rulesOf(parsed, TIGHTENING, { file, layer: "foreign", base });
  const warnings = FOREIGN_BANS.flatMap((key) => {
    const line = parsed.lineOf(["permissions", key]);
    const isRead = line === undefined || parsed.value.permissions?.[key] !== undefined;
    return isRead ? [] : [`${file}:${line}: ignored, because it is not "disable": permissions.${key}.`];
  });
  return { ...EMPTY_LAYER, value: parsed.value, rules, warnings, written: parsed };
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

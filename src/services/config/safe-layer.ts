import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { SettingsFile } from "../../contracts/settings-schema.ts";
import type { Layer } from "./layer.ts";

/** Modes that allow no more than the default mode. */
const NARROW_MODES: readonly PermissionMode[] = ["default", "plan", "dontAsk"];

/** The keys of a settings file that only customise Quoll or run something. */
const CUSTOMISATION: readonly (keyof SettingsFile)[] = [
  ...(["hooks", "statusLine", "outputStyle", "agent", "agents", "skills", "memory", "instructions"] as const),
  ...(["enabledPlugins", "extraKnownMarketplaces", "mcp"] as const),
];

/** True for a key that safe mode leaves out unread, so that a fault in it can't stop the start. */
export function isCustomisation(key: string): boolean {
  return CUSTOMISATION.some((one) => one === key);
}

/**
 * A layer as it counts in safe mode, besides the keys that are left out: without the parts that loosen permissions.
 * Deny and ask rules stay, and settings of models, providers and the sandbox.
 */
export function safeLayer<Kind extends Layer>(layer: Kind): Kind {
  const { value, rules } = layer;
  return { ...layer, value: safeValue(value), rules: rules.filter(({ decision }) => decision !== "allow") };
}

function safeValue({ permissions, sandbox, terminal, worktree, ...kept }: SettingsFile): SettingsFile {
  return {
    ...kept,
    ...(permissions && { permissions: safePermissions(permissions) }),
    ...(sandbox && { sandbox: safeSandbox(sandbox) }),
    ...(terminal && { terminal: safeTerminal(terminal) }),
    ...(worktree && { worktree: safeWorktree(worktree) }),
  };
}

type Part<Key extends keyof SettingsFile> = NonNullable<SettingsFile[Key]>;

function safePermissions({ allow, additionalDirectories, defaultMode, ...kept }: Part<"permissions">) {
  return { ...kept, ...(defaultMode && NARROW_MODES.includes(defaultMode) && { defaultMode }) };
}

/** A refusal of consent stays. */
function safeSandbox({ autoAllowBashIfSandboxed, agreed, excludedCommands, ...kept }: Part<"sandbox">) {
  return { ...kept, ...(autoAllowBashIfSandboxed === false && { autoAllowBashIfSandboxed }) };
}

function safeTerminal({ theme, ...kept }: Part<"terminal">) {
  return kept;
}

function safeWorktree({ setup, ...kept }: Part<"worktree">) {
  return kept;
}

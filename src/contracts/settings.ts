import { z } from "zod";
import { type Decision, PERMISSION_MODES } from "./permission.ts";

const rules = z.array(z.string()).describe("Rules such as Bash(npm test *) or Edit(/src/**)");
const milliseconds = z.number().int().min(1);

/** The `permissions` part of a settings file. */
export const permissionSettingsSchema = z.object({
  allow: rules.optional(),
  ask: rules.optional(),
  deny: rules.optional(),
  defaultMode: z.enum(PERMISSION_MODES).optional().describe("The mode that a session starts in"),
  additionalDirectories: z.array(z.string()).optional().describe("Folders beside the starting folder"),
  disableBypassPermissionsMode: z.literal("disable").optional().describe("Forbids the mode bypassPermissions"),
});

/** Limits of tools that a user may change (docs/guide, limits). */
export const toolSettingsSchema = z.object({
  bashTimeoutMs: milliseconds.optional().describe("Timeout of a command that names none"),
  bashMaxTimeoutMs: milliseconds.optional().describe("Longest timeout that a command may name"),
  bashMaxOutputChars: z.number().int().min(1_000).optional().describe("Output of a command given to the model"),
});

/** What a settings file may hold. Unknown keys are warned of by the reader, not refused. */
export const settingsSchema = z.object({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe("A model id or an alias"),
  permissions: permissionSettingsSchema.optional(),
  env: z.record(z.string(), z.string()).optional().describe("Environment of the commands that are run"),
  tools: toolSettingsSchema.optional(),
});

export type SettingsFile = z.infer<typeof settingsSchema>;
export type ToolSettings = z.infer<typeof toolSettingsSchema>;

/** All layers merged: the highest scalar wins, lists are joined. Rules travel beside it, as `RuleSource`. */
export type Settings = {
  readonly model?: string;
  readonly defaultMode?: z.infer<typeof permissionSettingsSchema>["defaultMode"];
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly bypassDisabled: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly tools: ToolSettings;
};

/** A rule as it was written, and where. */
export type RuleSource = {
  readonly rule: string;
  readonly decision: Decision;
  /** A path, or the flag that gave it: `--allowed-tools`. */
  readonly file: string;
  /** Counting from 1; undefined for a flag. */
  readonly line?: number;
  /** What `/x` in a path rule is relative to: the project root. Absolute. */
  readonly base: string;
};

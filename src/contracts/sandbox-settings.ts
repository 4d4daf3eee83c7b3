import { z } from "zod";

const strings = z.array(z.string());

/** The widest powers of confined commands that a person has agreed to. Paths are absolute. */
export const sandboxScopeSchema = z.object({
  writable: strings.describe("Folders that commands may change"),
  opened: strings.describe("Stored credentials that commands may read"),
  hosts: strings.describe("Hosts that commands may reach"),
  sockets: strings.describe("Sockets that commands may reach"),
  strength: z.enum(["full", "weak"]).describe("`weak`: confined by Landlock"),
  closed: z
    .object({
      read: strings.describe("Paths in denyRead"),
      write: strings.describe("Paths in denyWrite"),
      hosts: strings.describe("Hosts in deniedDomains"),
      rules: strings.describe("Deny and ask rules about paths, such as `deny Read(./.env)`"),
    })
    .optional()
    .describe("Restrictions beyond the defaults at the time of the answer; an answer without this key does not count"),
});
export type SandboxScope = z.infer<typeof sandboxScopeSchema>;

/** The `sandbox` section: how commands are confined. The key names match those of similar tools. */
export const sandboxSettingsSchema = z.object({
  enabled: z
    .union([z.boolean(), z.literal("auto")])
    .optional()
    .describe(
      "`auto` (default): use the sandbox where this machine supports it; `true`: refuse to run commands without it",
    ),
  autoAllowBashIfSandboxed: z
    .boolean()
    .optional()
    .describe(
      "`true`: run sandboxed commands without asking; `false` in any layer: always ask (default: ask until you agree)",
    ),
  agreed: sandboxScopeSchema
    .optional()
    .describe(
      "Your answer that sandboxed commands run without asking in this project; written by Quoll, revoked with /permissions",
    ),
  allowUnsandboxedCommands: z
    .boolean()
    .optional()
    .describe("Lets the model ask to run a command outside the sandbox (default true)"),
  excludedCommands: strings
    .optional()
    .describe(
      "Commands that run outside the sandbox, under the usual rules, such as `docker *`: allow rules alone take nothing out",
    ),
  failIfUnavailable: z.boolean().optional().describe("The same as `enabled: true`"),
  network: z
    .object({
      allowedDomains: strings
        .optional()
        .describe("Hosts that every command may reach, such as example.com or *.example.com"),
      deniedDomains: strings.optional().describe("Hosts that commands may never reach"),
      allowUnixSockets: strings.optional().describe("Paths of Unix sockets that commands may use"),
      allowLocalBinding: z
        .boolean()
        .optional()
        .describe("Lets commands listen on loopback ports inside the sandbox (default true)"),
    })
    .optional(),
  filesystem: z
    .object({
      allowWrite: strings.optional().describe("More folders that commands may write to"),
      denyWrite: strings.optional().describe("Paths that commands may not write to"),
      denyRead: strings.optional().describe("Paths that commands may not read, in addition to stored credentials"),
      allowRead: strings
        .optional()
        .describe("Stored credentials, and secrets of the project, that every command may read, by path"),
    })
    .optional(),
});

/** How commands are confined. Agreements that confined commands run without asking are kept separately, as `ConsentSources`. */
export type SandboxSettings = Omit<z.infer<typeof sandboxSettingsSchema>, "autoAllowBashIfSandboxed" | "agreed">;

/** Layers in which a person may agree that confined commands run without asking. */
export type ConsentLayer = "user" | "own" | "settings-flag" | "flag" | "managed";

/** Agreements and refusals of all layers about running confined commands without asking. */
export type ConsentSources = {
  /** The file or flag of a layer that refuses. A refusal overrides every agreement. */
  readonly refusedBy?: string;
  /** Layers that agree, lowest first. */
  readonly agreedBy: readonly { readonly layer: ConsentLayer; readonly file: string }[];
  /** The answer saved in the user's own file for this project, with the limits of commands at the time of the answer. */
  readonly kept?: { readonly scope: SandboxScope; readonly file: string };
};

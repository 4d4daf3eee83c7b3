import { z } from "zod";
import type { McpScope, McpServerKind } from "../../../contracts/mcp.ts";
import { type OAuthConfig, oauthSchema } from "../oauth/oauth-config.ts";

const text = z.string().min(1);
const MAX_TIMEOUT_MS = 3_600_000;
const MIN_OUTPUT_TOKENS = 100;
/** People write numbers and booleans without quotes; a program gets text in both cases. */
const words = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const shared = {
  disabled: z.boolean().optional(),
  /** The time limit of one call in milliseconds; by default there is none. */
  timeout: z.number().int().min(1).optional(),
  /** True if no tool of the server is deferred. With a list, the tools with these names are never deferred. */
  alwaysLoad: z.union([z.boolean(), z.array(z.string())]).optional(),
  /** True if a run without a screen waits for the server and ends if it is not available. */
  required: z.boolean().optional(),
  /** Time limit of the start in milliseconds. */
  startupTimeout: z.number().int().min(1).max(MAX_TIMEOUT_MS).optional(),
  /** Only these tools, or all except these, in the server's own spelling. */
  enabledTools: z.array(z.string()).optional(),
  disabledTools: z.array(z.string()).optional(),
  /** The maximum estimated tokens of a result that the model gets; the rest is saved to a file. */
  maxOutputTokens: z.number().int().min(MIN_OUTPUT_TOKENS).optional(),
};

export const stdioSchema = z.object({
  type: z.literal("stdio").optional(),
  command: text,
  args: z.array(words).default([]),
  env: z.record(z.string(), words).default({}),
  cwd: text.optional(),
  ...shared,
});
export const remoteSchema = z.object({
  type: z.enum(["http", "sse"]),
  url: text,
  headers: z.record(z.string(), words).default({}),
  /** A command that prints a JSON object of headers. */
  headersHelper: text.optional(),
  oauth: oauthSchema.optional(),
  ...shared,
});
export const sdkSchema = z.object({ type: z.literal("sdk"), name: text.optional(), ...shared });

type Common = {
  /** The configured name. */
  readonly name: string;
  /** `flag` if absent. */
  readonly scope?: McpScope;
  readonly isDisabled: boolean;
  /** The command line as written, if it refers to variables, whose values may be secret. */
  readonly written?: string;
  readonly callTimeoutMs?: number;
  /** Names in the server's own spelling. */
  readonly alwaysLoad?: boolean | readonly string[];
  readonly isRequired?: true;
  readonly startMs?: number;
  readonly enabledTools?: readonly string[];
  readonly disabledTools?: readonly string[];
  readonly maxOutputTokens?: number;
};

/** One server, ready to start: variables are expanded. */
export type McpServerConfig = Common &
  (
    | {
        readonly kind: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        /** The program's variables besides the ordinary environment, including credentials. */
        readonly env: Readonly<Record<string, string>>;
        /** Absolute, or relative to the working folder. */
        readonly cwd?: string;
      }
    | {
        readonly kind: "http" | "sse";
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly headersHelper?: string;
        readonly oauth?: OAuthConfig;
      }
    | {
        readonly kind: "sdk";
        /** The server's name in the program that drives Quoll. */
        readonly server: string;
      }
    /** An unusable entry: shown as failed, and not started. */
    | { readonly kind: "invalid"; readonly intended: McpServerKind; readonly problem: string }
  );

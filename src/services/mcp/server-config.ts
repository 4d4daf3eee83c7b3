import { z } from "zod";
import type { McpServerKind } from "../../contracts/mcp.ts";

const text = z.string().min(1);
/** People write numbers and booleans without quotes; a program gets text in both cases. */
const words = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const shared = {
  disabled: z.boolean().optional(),
  /** Time limit of one call in milliseconds; none by default. */
  timeout: z.number().int().min(1).optional(),
  /** True: no tool of the server is deferred. A list: the tools with these names are never deferred. */
  alwaysLoad: z.union([z.boolean(), z.array(z.string())]).optional(),
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
  ...shared,
});
export const sdkSchema = z.object({ type: z.literal("sdk"), name: text.optional(), ...shared });

type Common = {
  /** The configured name. */
  readonly name: string;
  readonly isDisabled: boolean;
  readonly callTimeoutMs?: number;
  /** Names in the server's own spelling. */
  readonly alwaysLoad?: boolean | readonly string[];
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
    | { readonly kind: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
    | {
        readonly kind: "sdk";
        /** The server's name in the program that drives Quoll. */
        readonly server: string;
      }
    /** An unusable entry: shown as failed, and not started. */
    | { readonly kind: "invalid"; readonly intended: McpServerKind; readonly problem: string }
  );

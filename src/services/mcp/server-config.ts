import { z } from "zod";
import type { McpServerKind } from "../../contracts/mcp.ts";

const text = z.string().min(1);
/** People write numbers and switches without quotes; a program is given text either way. */
const words = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const shared = {
  disabled: z.boolean().optional(),
  /** Milliseconds that one call may take; none by default. */
  timeout: z.number().int().min(1).optional(),
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
  /** As configured. */
  readonly name: string;
  readonly isDisabled: boolean;
  readonly callTimeoutMs?: number;
};

/** One server, ready to be started: variables are expanded. */
export type McpServerConfig = Common &
  (
    | {
        readonly kind: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        /** What the program is given beside the ordinary environment, credentials included. */
        readonly env: Readonly<Record<string, string>>;
        /** Absolute, or relative to the working folder. */
        readonly cwd?: string;
      }
    | { readonly kind: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
    | {
        readonly kind: "sdk";
        /** What it is called on the other side. */
        readonly server: string;
      }
    /** Its entry can't be used: it is shown as failed, and nothing is started. */
    | { readonly kind: "invalid"; readonly intended: McpServerKind; readonly problem: string }
  );

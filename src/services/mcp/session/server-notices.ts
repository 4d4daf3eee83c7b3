import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import type { Sdk } from "./load-sdk.ts";

/** A notification of a server. */
export type ServerNotice =
  /** The list may have changed. */
  | { readonly kind: "list"; readonly list: "tools" | "resources" | "prompts" }
  /** A resource that Quoll subscribed to has changed. */
  | { readonly kind: "updated"; readonly uri: string }
  /** The person is done at a page that the server wanted opened. */
  | { readonly kind: "completed"; readonly elicitationId: string }
  /** A message for the log. `level`: a syslog name. */
  | { readonly kind: "log"; readonly level: string; readonly logger: string | undefined; readonly data: unknown };

const updatedSchema = z.object({
  method: z.literal("notifications/resources/updated"),
  params: z.object({ uri: z.string() }),
});
const completedSchema = z.object({
  method: z.literal("notifications/elicitation/complete"),
  params: z.object({ elicitationId: z.string() }),
});
const logSchema = z.object({
  method: z.literal("notifications/message"),
  params: z.object({
    level: z.string().catch("info"),
    logger: z.string().optional().catch(undefined),
    data: z.unknown().optional(),
  }),
});

/** Passes on the notifications that Quoll uses. */
export function listenToServer(client: Client, { types }: Sdk, onNotice: (notice: ServerNotice) => void): void {
  const listed = (list: Extract<ServerNotice, { kind: "list" }>["list"]) => () => onNotice({ kind: "list", list });
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, listed("tools"));
  client.setNotificationHandler(types.ResourceListChangedNotificationSchema, listed("resources"));
  client.setNotificationHandler(types.PromptListChangedNotificationSchema, listed("prompts"));
  client.setNotificationHandler(updatedSchema, ({ params }) => onNotice({ kind: "updated", uri: params.uri }));
  client.setNotificationHandler(completedSchema, ({ params }) =>
    onNotice({ kind: "completed", elicitationId: params.elicitationId }),
  );
  client.setNotificationHandler(logSchema, ({ params }) =>
    onNotice({ kind: "log", level: params.level, logger: params.logger, data: params.data }),
  );
}

type LogNotice = Extract<ServerNotice, { kind: "log" }>;

/** The maximum number of warnings kept for one server. */
const MAX_WARNINGS = 20;
const MAX_COLUMNS = 300;
/** The syslog levels from which a message is a warning. */
const WARNINGS: ReadonlySet<string> = new Set(["warning", "error", "critical", "alert", "emergency"]);

/** The messages that one server logs: the newest warnings are kept, and all messages go to the debug log. */
export class ServerLog {
  readonly #toDebugLog: ((line: string) => void) | undefined;
  #warnings: readonly string[] = [];

  constructor(toDebugLog: ((line: string) => void) | undefined) {
    this.#toDebugLog = toDebugLog;
  }

  /** Oldest first. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The lowest useful level; servers are asked not to send messages below it. */
  get level(): string {
    return this.#toDebugLog ? "debug" : "warning";
  }

  /** @returns true if the warnings changed. */
  add({ level, logger, data }: LogNotice): boolean {
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    const from = logger === undefined ? "" : `${logger}: `;
    const line = oneLine(`${level}: ${from}${text}`, MAX_COLUMNS);
    this.#toDebugLog?.(line);
    if (!WARNINGS.has(level) || this.#warnings.at(-1) === line) return false;
    this.#warnings = [...this.#warnings, line].slice(-MAX_WARNINGS);
    return true;
  }
}

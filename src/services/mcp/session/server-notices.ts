import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
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

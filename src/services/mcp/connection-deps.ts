import type { McpServerConfig } from "./config/server-config.ts";
import type { OpenDeps } from "./session/open-client-session.ts";
import type { ListSizes } from "./tools/list-sizes.ts";
import type { SaveContent } from "./tools/read-result.ts";

/** A configured server of a client. */
export type ConfiguredServer = {
  readonly config: McpServerConfig;
  /** The server's part of its tools' names. */
  readonly part: string;
  onChanged(): void;
};

export type ConnectionDeps = OpenDeps & {
  /** Stores content that can't be sent to the model directly, such as recordings and archives. */
  readonly saveContent?: SaveContent;
  onResourceUpdated?(server: string, uri: string): void;
  /** Writes a message that a server logs to the debug log. */
  readonly onLog?: (server: string, line: string) => void;
  /** Stores the size of the server's list of tools. */
  readonly sizes?: ListSizes;
};

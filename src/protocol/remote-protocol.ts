import { parsedJson } from "../contracts/parsed-json.ts";
import type { TerminalSettings } from "../contracts/settings.ts";
import type { AlertSettings, PromptSettings } from "../contracts/terminal-settings.ts";
import type { ThemeChoice } from "../contracts/theme.ts";
import type { SessionCommand, SessionEvent } from "./session-port.ts";

/** Facts about a session in another process, for the screen that attaches to it. */
export type RemoteFacts = {
  /** The id of the background session. */
  readonly id: string;
  /** The version of Quoll in that process. */
  readonly version: string;
  /** The working folder as shown: `~/src/shop`. */
  readonly shownCwd: string;
  /** The file of the prompt history; absolute. */
  readonly history: string;
  /** Where the history keeps large pastes of the session; absent if nothing is saved. */
  readonly pastes?: { readonly folder: string; readonly sessionId: string } | undefined;
  readonly notices: readonly string[];
  readonly attention: AlertSettings;
  readonly prompt: PromptSettings;
  readonly theme: ThemeChoice | undefined;
  /** The setting `terminal.images`. */
  readonly images?: TerminalSettings["images"];
};

/**
 * The first line of a connection: the client and its purpose. The host answers a wrong token by ending the connection.
 */
export type RemoteHello = {
  readonly type: "hello";
  readonly token: string;
  readonly wants: "screen" | "end";
  /** True if the terminal can't show lists, forms or views. */
  readonly isPlain: boolean;
};

/** Lines of a screen to the host. */
export type ToHost = RemoteHello | { readonly type: "command"; readonly command: SessionCommand };

/** Lines of the host to a screen: plain JSON, one object a line. */
export type ToScreen =
  | { readonly type: "facts"; readonly facts: RemoteFacts }
  | { readonly type: "event"; readonly event: SessionEvent }
  /** The session is over. `lines`: the work that was still running, one phrase each. */
  | { readonly type: "ended"; readonly why: string; readonly lines: readonly string[] };

/**
 * Parses a line of the other side, which is of the same version.
 * @returns undefined for a line that is not JSON.
 */
export function remoteMessage<Message extends ToHost | ToScreen>(line: string): Message | undefined {
  return parsedJson(line) as Message | undefined;
}

import type { Session } from "../../app/session/session.ts";
import type { TerminalSettings } from "../../contracts/settings.ts";
import type { AlertSettings, PromptSettings } from "../../contracts/terminal-settings.ts";
import type { PastePlace } from "../../platform/paste-files.ts";

/** How a screen calls a person who looks elsewhere. */
export function alertSettings(settings: TerminalSettings = {}): AlertSettings {
  const { notifications = true, title = true, notifyAfterSeconds = 20 } = settings;
  const form = notifications === true ? "auto" : notifications === false ? "off" : notifications;
  return { notifications: form, bell: settings.bell ?? form !== "off", title, longTurnMs: 1_000 * notifyAfterSeconds };
}

/** How the prompt of a screen edits, and how the screen shows changes and running work. */
export function promptSettings(settings: TerminalSettings = {}): PromptSettings {
  const { ghostText = true, tips = true, editorMode = "plain", diff = "auto", reducedMotion = false } = settings;
  return { ghostText, tips, editorMode, diff, reducedMotion };
}

/** Where the prompt history keeps the large pastes of a session; undefined if the session is not saved. */
export function pastePlaceOf({
  config,
  conversation: { folder, log },
}: Pick<Session, "config" | "conversation">): PastePlace | undefined {
  return config.isSaved ? { folder, sessionId: log.sessionId } : undefined;
}

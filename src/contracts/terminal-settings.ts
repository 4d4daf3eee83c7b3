/** How the screen is drawn; `auto` depends on the terminal. */
export const SCREEN_SETTINGS = ["auto", "inline", "full", "plain"] as const;
export type ScreenSetting = (typeof SCREEN_SETTINGS)[number];

/** How a terminal shows a desktop notification: by one of three control sequences, or not at all. */
export const NOTIFICATION_FORMS = ["osc9", "osc777", "osc99", "off"] as const;
export type NotificationForm = (typeof NOTIFICATION_FORMS)[number];

/** The kinds of addresses for links to files. */
export const FILE_LINKS = ["file", "vscode", "vscode-insiders", "cursor", "windsurf", "zed", "off"] as const;
export type FileLinks = (typeof FILE_LINKS)[number];

/** How a terminal shows images: the graphics protocol of kitty, or the inline images of iTerm2 (OSC 1337). */
export type ImageProtocol = "kitty" | "iterm2";

/** How changes are shown: one below the other, side by side, or depending on the width of the window. */
export type DiffLayout = "auto" | "unified" | "split";
/** The editing mode of the prompt: like a shell, or like vim. */
export type EditorMode = "plain" | "vim";

/** How a person who looks elsewhere is alerted. */
export type AlertSettings = {
  /** Desktop notifications: in the terminal's own form, in another one, or none. */
  readonly notifications: NotificationForm | "auto";
  readonly bell: boolean;
  readonly title: boolean;
  /** The end of a turn with at least this duration notifies the person. */
  readonly longTurnMs: number;
};

/** How the prompt edits, and how the screen shows changes and running work. */
export type PromptSettings = {
  /** False if earlier inputs that begin with the draft are not shown after it. */
  readonly ghostText: boolean;
  /** False if long turns show no tips. */
  readonly tips?: boolean;
  readonly editorMode: EditorMode;
  readonly diff?: DiffLayout;
  /** True if signs of running work stand still. */
  readonly reducedMotion?: boolean;
};

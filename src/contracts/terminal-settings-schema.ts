import { z } from "zod";
import { FILE_LINKS, NOTIFICATION_FORMS, SCREEN_SETTINGS } from "./terminal-settings.ts";

/** The `terminal` section: notifications, the window title and the prompt. */
export const terminalSettingsSchema = z.object({
  notifications: z
    .union([z.boolean(), z.enum(["auto", ...NOTIFICATION_FORMS])])
    .optional()
    .describe(
      "Desktop notifications when you are needed: `auto` or true (default) in the form that the terminal knows, `osc9`, `osc777` or `osc99` in this form, `off` or false for none",
    ),
  bell: z
    .boolean()
    .optional()
    .describe("Rings the terminal's bell when you are needed (default: unless `notifications` is off)"),
  notifyAfterSeconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe("The end of a turn that took at least so many seconds is worth a notification (default 20)"),
  title: z.boolean().optional().describe("Shows the state of Quoll in the window title (default true)"),
  editorMode: z
    .enum(["plain", "vim"])
    .optional()
    .describe("The keys of the prompt: `plain` as in a shell (default), or `vim`; `/vim` changes it"),
  editor: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The command that opens drafts and files, such as `code --wait` (default: $VISUAL, else $EDITOR); `/editor` changes it",
    ),
  theme: z
    .string()
    .optional()
    .describe(
      "The colours: `auto` (default: by the background of the terminal), `dark`, `light`, another theme of Quoll, or a file's name in the folder `themes` beside the user settings; `/theme` changes it",
    ),
  screen: z
    .enum(SCREEN_SETTINGS)
    .optional()
    .describe(
      "How the screen is drawn: `inline` (below the terminal's own history), `full` (on a separate screen), `plain` (lines without redraws, for screen readers), or `auto`: plain with TERM=dumb, CI=1, ACCESSIBLE=1 or CLAUDE_AX_SCREEN_READER=1, else inline (default)",
    ),
  fileLinks: z
    .enum(FILE_LINKS)
    .optional()
    .describe(
      "Paths of files as links, in terminals that are known to show links: `file` opens them with the desktop (default), the name of an editor there at the line, `off` shows none",
    ),
  images: z
    .enum(["auto", "never"])
    .optional()
    .describe(
      "Images in the conversation: `auto` shows them in terminals that are known to show images, elsewhere their names (default); `never` shows names only",
    ),
  mouse: z
    .boolean()
    .optional()
    .describe("On a full screen: the mouse wheel scrolls; shift and drag selects text (default true)"),
  ghostText: z
    .boolean()
    .optional()
    .describe("Shows the newest earlier prompt that begins like the draft, dim behind the cursor (default true)"),
  diff: z
    .enum(["auto", "unified", "split"])
    .optional()
    .describe(
      "Changes in questions and in the transcript: `unified`, `split` (old and new side by side), or `auto`, which splits in windows of at least 120 columns (default)",
    ),
});

export type TerminalSettings = z.infer<typeof terminalSettingsSchema>;

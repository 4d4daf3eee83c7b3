import { z } from "zod";

/** The `terminal` section: notifications, the window title and the prompt. */
export const terminalSettingsSchema = z.object({
  notifications: z
    .boolean()
    .optional()
    .describe(
      "Rings the bell and sends a notification (OSC 9) at questions and at the end of a long turn (default true)",
    ),
  title: z.boolean().optional().describe("Shows the state of Quoll in the window title (default true)"),
  ghostText: z
    .boolean()
    .optional()
    .describe("Shows the newest earlier prompt that begins like the draft, dim behind the cursor (default true)"),
});
export type TerminalSettings = z.infer<typeof terminalSettingsSchema>;

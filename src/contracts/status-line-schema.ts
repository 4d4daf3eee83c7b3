import { z } from "zod";
import { TEMPLATE_NAMES } from "./status-line.ts";

const MAX_PADDING = 20;
const MAX_REFRESH_SECONDS = 86_400;

/** The `statusLine` section, with the names and meanings that Claude Code documents for `command`. */
export const statusLineSettingsSchema = z.object({
  type: z
    .enum(["command", "template"])
    .optional()
    .describe("The source of the lines: `command` or `template` (default: whichever is set)"),
  command: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A shell command that prints up to three lines; it gets facts about the session as JSON ([status line](../status-line.md))",
    ),
  template: z
    .string()
    .min(1)
    .optional()
    .describe(`A text with names in braces: ${TEMPLATE_NAMES.map((name) => `\`{${name}}\``).join(", ")}`),
  padding: z.number().int().min(0).max(MAX_PADDING).optional().describe("Blanks before each line (default 0)"),
  refreshInterval: z
    .number()
    .int()
    .min(1)
    .max(MAX_REFRESH_SECONDS)
    .optional()
    .describe("Makes the lines again after so many seconds, also while nothing happens (default: never)"),
});
export type StatusLineSettings = z.infer<typeof statusLineSettingsSchema>;

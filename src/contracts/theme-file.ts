import { z } from "zod";
import { ANSI_COLORS, THEME_NAMES, THEME_ROLES, type ThemeColor, type ThemeRole } from "./theme.ts";

const names: readonly unknown[] = ANSI_COLORS;

const colorSchema = z.custom<ThemeColor>(
  (value) =>
    (typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value)) ||
    (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255) ||
    names.includes(value),
  "use #rrggbb, a number from 0 to 255, or a name such as brightBlue",
);

const roles = Object.fromEntries(THEME_ROLES.map((role) => [role, colorSchema.optional()]));

/** The content of a theme file: the theme that it changes, and the colours of roles. */
export const themeFileSchema = z.strictObject({
  extends: z.enum(THEME_NAMES, `use one of ${THEME_NAMES.join(", ")}`).default("auto"),
  ...(roles as Record<ThemeRole, z.ZodOptional<typeof colorSchema>>),
});

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { plainText } from "@quoll/terminal-text/plain-text";
import { z } from "zod";
import { didYouMean } from "../../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import {
  ANSI_COLORS,
  builtInTheme,
  THEME_NAMES,
  THEME_ROLES,
  type ThemeChoice,
  type ThemeColor,
  type ThemeRole,
} from "../../../contracts/theme.ts";

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
const themeFileSchema = z.strictObject({
  extends: z.enum(THEME_NAMES, `use one of ${THEME_NAMES.join(", ")}`).default("auto"),
  ...(roles as Record<ThemeRole, z.ZodOptional<typeof colorSchema>>),
});

const SUFFIX = ".json";
/** A theme has a dozen colours. */
const MAX_BYTES = 64_000;
/** The maximum number of themes, because nobody could choose from more. */
const MAX_FILES = 100;

/**
 * Finds a theme by name: a built-in theme, or the file `NAME.json` of the folder.
 * @throws {UserFacingError} if there is no such theme, or a line that names the file and the role that can't be used.
 */
export async function findTheme(folder: string, name: string): Promise<ThemeChoice> {
  const known = builtInTheme(name);
  if (known) return known;
  if (!/^[\w.-]+$/.test(name))
    throw new UserFacingError(`There is no theme "${plainText(name)}". ${await offered(folder, name)}`);
  return readTheme(folder, name);
}

/** The nearest name, or all of Quoll's own. */
async function offered(folder: string, name: string): Promise<string> {
  const known = [...THEME_NAMES, ...(await ownNames(folder))];
  return didYouMean(name, known, `Themes: ${THEME_NAMES.join(", ")}.`, plainText);
}

/** The names of the files in a folder of themes. */
async function ownNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const names = files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
  return names.filter((name) => !builtInTheme(name)).toSorted();
}

/**
 * The themes of a folder by name, and one line for each file that can't be used. A missing folder contains no themes.
 */
export async function listThemes(
  folder: string,
): Promise<{ readonly themes: readonly ThemeChoice[]; readonly problems: readonly string[] }> {
  const own = await ownNames(folder);
  const read = await Promise.allSettled(own.slice(0, MAX_FILES).map((name) => readTheme(folder, name)));
  return {
    themes: read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    problems: read.flatMap((one) => (one.status === "rejected" ? [errorMessage(one.reason)] : [])),
  };
}

async function readTheme(folder: string, name: string): Promise<ThemeChoice> {
  const file = join(folder, `${name}${SUFFIX}`);
  const refuse = (why: string) => new UserFacingError(`${plainText(file)}: ${plainText(why)}`);
  const text = await readFile(file, "utf8").catch(async (error: unknown) => {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing
      ? new UserFacingError(`There is no theme "${name}", and no ${file}. ${await offered(folder, name)}`)
      : refuse(errorMessage(error));
  });
  if (text.length > MAX_BYTES) throw refuse("the file is too large for a theme.");
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw refuse(errorMessage(error));
  }
  const parsed = themeFileSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw refuse(`${where === "" ? "" : `${where}: `}${issue?.message ?? "no theme"}`);
  }
  const { extends: base, ...colors } = parsed.data;
  const given = Object.entries(colors).filter(([, color]) => color !== undefined);
  return { name, extends: base, colors: Object.fromEntries(given) };
}

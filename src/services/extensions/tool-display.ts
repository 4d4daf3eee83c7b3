import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { z } from "zod";
import type { Display, ListItem, ResultBody, TableColumn } from "../../contracts/display.ts";
import { mapTexts } from "../../contracts/map-texts.ts";
import { diffTexts } from "../../platform/diff-hunks.ts";

const MAX_SUMMARY_COLUMNS = 60;
/** More is refused at once, because reading it would take long. What fits is cut to the limits of all results. */
const MAX_CHARS = 1_000_000;
const MAX_PARTS = 10_000;

const text = z.string().max(MAX_CHARS);
const itemSchema = z.union([
  text.transform((value): ListItem => ({ text: value })),
  z
    .object({
      text,
      mark: z.enum(["done", "open", "running", "failed", "warning", "added", "removed"]).optional(),
      note: text.optional(),
    })
    .transform(
      ({ text: shown, mark, note }): ListItem => ({
        text: shown,
        ...(mark && { mark }),
        ...(note !== undefined && { note }),
      }),
    ),
]);
const columnSchema = z.union([
  text.transform((name): TableColumn => ({ name })),
  z
    .object({ name: text, align: z.literal("right").optional() })
    .transform(({ name, align }): TableColumn => ({ name, ...(align && { align }) })),
]);
const cellSchema = z.union([text, z.number().transform(String)]);

const summary = z.string().optional();
const displaySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), summary, text }),
  z.object({ kind: z.literal("list"), summary, items: z.array(itemSchema).max(MAX_PARTS) }),
  z.object({
    kind: z.literal("table"),
    summary,
    columns: z.array(columnSchema).min(1).max(MAX_PARTS),
    rows: z.array(z.array(cellSchema)).max(MAX_PARTS),
  }),
  z.object({ kind: z.literal("diff"), summary, path: text, before: text, after: text }),
]);

/** The display that an extension gave, safe to print; or why it can't be shown, in one line. */
export function readDisplay(given: unknown): { readonly display?: Display; readonly problem?: string } {
  const parsed = displaySchema.safeParse(given);
  if (!parsed.success) return { problem: problemOf(parsed.error) };
  const words = oneLine(parsed.data.summary ?? "", MAX_SUMMARY_COLUMNS);
  return { display: { kind: "summary", text: words, body: mapTexts(bodyOf(parsed.data), plainText) } };
}

function bodyOf(given: z.infer<typeof displaySchema>): ResultBody {
  switch (given.kind) {
    case "text":
      return { kind: "text", text: given.text };
    case "list":
      return { kind: "list", items: given.items };
    case "table":
      return { kind: "table", columns: given.columns, rows: given.rows };
    case "diff":
      return { kind: "diff", path: given.path, hunks: diffTexts(given.before, given.after).diff.hunks };
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join(".") ?? "";
  return oneLine(`${where === "" ? "" : `${where}: `}${issue?.message ?? "it is malformed"}`);
}

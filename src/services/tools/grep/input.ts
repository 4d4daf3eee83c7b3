import { z } from "zod";
import { OUTPUT_MODES } from "./search-types.ts";

const lines = z.number().min(0).optional();

export const grepInput = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe("File or folder; the working folder by default"),
  glob: z.string().optional().describe("Only these files: *.ts, !**/dist/**"),
  type: z.string().optional().describe("Only this kind: ts, py, rust …"),
  output_mode: z.enum(OUTPUT_MODES).optional(),
  "-A": lines.describe("Lines after each match (content)"),
  "-B": lines.describe("Lines before"),
  "-C": lines,
  "-i": z.boolean().optional().describe("Ignore case"),
  "-n": z.boolean().optional().describe("Line numbers (content); true by default"),
  multiline: z.boolean().optional().describe("Let a match span lines"),
  head_limit: lines.describe("Most results; 250 by default, 0 for all"),
  offset: lines.describe("Results to skip"),
});

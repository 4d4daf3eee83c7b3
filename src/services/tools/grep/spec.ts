import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./grep.md" with { type: "text" };
import { OUTPUT_MODES } from "./search-types.ts";

const lines = z.number().min(0).optional();

export const grepSpec = declareTool({
  name: "Grep",
  summary: "Find text in files",
  description,
  level: "read",
  input: z.object({
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
  }),
  aliases: {
    regex: "pattern",
    query: "pattern",
    search: "pattern",
    directory: "path",
    dir: "path",
    folder: "path",
    file_path: "path",
    include: "glob",
    include_pattern: "glob",
    file_pattern: "glob",
    file_type: "type",
    mode: "output_mode",
    after: "-A",
    after_context: "-A",
    before: "-B",
    before_context: "-B",
    context: "-C",
    context_lines: "-C",
    ignore_case: "-i",
    case_insensitive: "-i",
    i: "-i",
    n: "-n",
    line_numbers: "-n",
    A: "-A",
    B: "-B",
    C: "-C",
    limit: "head_limit",
    max_results: "head_limit",
  },
});

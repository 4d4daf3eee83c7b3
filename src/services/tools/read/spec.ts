import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./read.md" with { type: "text" };

export const readSpec = declareTool({
  name: "Read",
  summary: "Read a text file or an image",
  description,
  level: "read",
  input: z.object({
    file_path: z.string().min(1),
    offset: z.number().min(0).optional().describe("First line, from 1"),
    limit: z.number().min(1).optional().describe("Most lines; 2000 by default"),
  }),
  aliases: {
    path: "file_path",
    file: "file_path",
    filename: "file_path",
    absolute_path: "file_path",
    target_file: "file_path",
    start: "offset",
    start_line: "offset",
    line: "offset",
    lines: "limit",
    num_lines: "limit",
    max_lines: "limit",
  },
});

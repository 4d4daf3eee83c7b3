import { z } from "zod";

export const notebookEditInput = z.object({
  notebook_path: z.string().min(1),
  cell_id: z
    .string()
    .min(1)
    .optional()
    .describe("Id or number of the cell, as Read shows it; an insert goes behind it, without it to the top"),
  new_source: z.string().optional().describe("The whole new source"),
  cell_type: z.enum(["code", "markdown", "raw"]).optional(),
  edit_mode: z.enum(["replace", "insert", "delete"]).optional().describe("Default: replace"),
});

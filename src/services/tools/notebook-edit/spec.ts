import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./notebook-edit.md" with { type: "text" };

export const notebookEditSpec = declareTool({
  name: "NotebookEdit",
  summary: "Change a cell of a Jupyter notebook",
  description,
  level: "write",
  restoresSecrets: true,
  isRare: true,
  searchHint: "Jupyter notebook, ipynb, cell",
  inputSchema: inputSchemas.NotebookEdit,
  aliases: {
    file_path: "notebook_path",
    path: "notebook_path",
    cell: "cell_id",
    cell_number: "cell_id",
    id: "cell_id",
    source: "new_source",
    content: "new_source",
    type: "cell_type",
    mode: "edit_mode",
  },
});

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
  otherNames: {
    notebook_path: "file_path path",
    cell_id: "cell cell_number id",
    new_source: "source content",
    cell_type: "type",
    edit_mode: "mode",
  },
});

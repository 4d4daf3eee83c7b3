import { taskListFile } from "../../../src/services/task-list/task-list-file.ts";

/** A process that changes a list: creates tasks, and claims each for itself. Prints the id of each finished operation. */
const [file = "", name = "", operations = "0"] = process.argv.slice(2);
const list = taskListFile(file);
for (let done = 0; done < Number(operations); done += 2) {
  const { id } = await list.create({ subject: `${name}-${done}`, description: "x" });
  process.stdout.write(`${id}\n`);
  await list.update(id, { owner: name, status: "in_progress" });
}

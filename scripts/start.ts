/** `npm start`: runs Quoll from source in the folder from which npm was called. Nothing else takes INIT_CWD. */
const folder = process.env["INIT_CWD"];
if (folder) process.chdir(folder);
await import("../src/main.ts");

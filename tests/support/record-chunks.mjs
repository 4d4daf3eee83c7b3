/** A preload for `node --import`: appends each module that is loaded, and each start of a request, to the file that QUOLL_LOAD_LIST names. */
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

const list = process.env["QUOLL_LOAD_LIST"];
registerHooks({
  load(url, context, next) {
    appendFileSync(list, `${url}\n`);
    return next(url, context);
  },
});

const { fetch } = globalThis;
globalThis.fetch = (...request) => {
  appendFileSync(list, "request\n");
  return fetch(...request);
};

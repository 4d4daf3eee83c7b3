import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";

/** The files of the project in the pictures. */
export const SHOP = {
  "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/cart.js": [
    "export class Cart {",
    "  #items = [];",
    "",
    "  add(item) {",
    "    this.#items.push(item);",
    "  }",
    "",
    "  /** The price of everything in the cart. */",
    "  total() {",
    "    return this.#items.reduce((sum, item) => sum + item.price, 1);",
    "  }",
    "}",
    "",
  ].join("\n"),
};

const ANSWER = [
  "Fixed: `total()` started its sum at 1; it now starts at 0. The three ways to call it:",
  "",
  "| Call | Before | Now |",
  "|---|--:|--:|",
  "| empty cart | 1 | 0 |",
  "| one item of 5 | 6 | 5 |",
  "| two items of 5 | 11 | 10 |",
  "",
  "A test keeps it so:",
  "",
  "```js",
  'test("an empty cart costs nothing", () => {',
  "  const cart = new Cart(); // no items yet",
  "  assert.equal(cart.total(), 0);",
  "});",
  "```",
].join("\n");

const EDIT = {
  file_path: "src/cart.js",
  old_string: "return this.#items.reduce((sum, item) => sum + item.price, 1);",
  new_string: "return this.#items.reduce((sum, item) => sum + item.price, 0);",
};

/** A model that reads, changes one line and says so. */
export function repairScenario(): Scenario {
  const replies = [
    reply([text("I'll look at the cart first."), toolUse("Read", { file_path: "src/cart.js" })]),
    reply([text("The sum starts at 1 instead of 0."), toolUse("Edit", EDIT)]),
    reply([text(ANSWER)]),
  ];
  let next = 0;
  return () => {
    const answer = replies[next] ?? reply([text("Done.")]);
    next += 1;
    return answer;
  };
}

/** A model that renames by a command, which writes three files. */
export function renameScenario(): Scenario {
  const command = "sed -i 's/Cart/Basket/' src/cart.js && echo '# Shop' > README.md && echo done > notes.txt";
  return [reply([text("I'll rename it."), toolUse("Bash", { command })]), reply([text("Renamed.")])];
}

export const RENAME = "rename the cart to basket, everywhere";

export const PROMPT = "an empty cart costs 1: find out why and fix it";

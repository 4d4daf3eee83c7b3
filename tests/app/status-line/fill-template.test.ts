import { expect, test } from "bun:test";
import { fillTemplate, unknownNames } from "../../../src/app/status-line/fill-template.ts";
import { TEMPLATE_NAMES, type TemplateName } from "../../../src/contracts/status-line.ts";

const values = (given: Partial<Record<TemplateName, string>>) => ({
  ...(Object.fromEntries(TEMPLATE_NAMES.map((name) => [name, ""])) as Record<TemplateName, string>),
  ...given,
});

test("names are filled, and a part without anything to say is left out", () => {
  const template = "{model} · {folder} {branch} · ctx {context} · {cost} · end\n{lines}";
  expect(fillTemplate(template, values({ model: "Sonnet 5", folder: "shop", lines: "+1 −2" }))).toBe(
    "Sonnet 5 · shop  · end\n+1 −2",
  );
  expect(fillTemplate(template, values({ context: "11%" }))).toBe("ctx 11% · end\n");
});

test("an unknown name stays as it is and is reported", () => {
  expect(fillTemplate("{modle} · {model}", values({ model: "m" }))).toBe("{modle} · m");
  expect(unknownNames("{modle} {model} {x}")).toEqual(["modle", "x"]);
});

import { expect, test } from "bun:test";
import { shownAddress } from "../../src/contracts/shown-address.ts";

test.each([
  ["mcp.example.com/v1/aB3dE6/sse", "mcp.example.com/…"],
  ["ftp://ann:word@example.com/a?b=c", "ftp://…@example.com/…"],
  ["example.com?key=aB3dE6", "example.com/…"],
  ["localhost:8080", "localhost:8080"],
  ["ftp://api.example.com", "ftp://api.example.com"],
])("the address %s is shown as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

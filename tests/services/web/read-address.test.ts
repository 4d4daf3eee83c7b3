import { describe, expect, test } from "bun:test";
import { isPublicAddress } from "../../../src/platform/resolve-host.ts";
import { judgeRedirect, readAddress } from "../../../src/services/web/read-address.ts";

const answer = (written: string) => {
  try {
    const { kind, host } = readAddress(written);
    return `${kind} ${host}`;
  } catch (error) {
    return (error as Error).name;
  }
};

/** What each spelling of an address is before anything is sent. */
const TRICKS: readonly (readonly [written: string, expected: string])[] = [
  ["https://example.com/a?b#c", "name example.com"],
  ["example.com/page", "name example.com"],
  ["EXAMPLE.com.", "name example.com"],
  ["https://93.184.216.34/", "number 93.184.216.34"],
  ["https://[2606:2800:220:1::1]/", "number [2606:2800:220:1::1]"],
  // This machine.
  ["http://127.0.0.1/", "private-number 127.0.0.1"],
  ["http://127.1/", "private-number 127.0.0.1"],
  ["http://127.0.1/", "private-number 127.0.0.1"],
  ["http://2130706433/", "private-number 127.0.0.1"],
  ["http://0x7f000001/", "private-number 127.0.0.1"],
  ["http://0x7f.0.0.1/", "private-number 127.0.0.1"],
  ["http://0x7F.1/", "private-number 127.0.0.1"],
  ["http://0177.0.0.1/", "private-number 127.0.0.1"],
  ["http://017700000001/", "private-number 127.0.0.1"],
  ["http://127.0.0.1./", "private-number 127.0.0.1"],
  ["http://%31%32%37.0.0.1/", "private-number 127.0.0.1"],
  ["http://127。0。0。1/", "private-number 127.0.0.1"],
  ["http://１２７.０.０.１/", "private-number 127.0.0.1"],
  ["http://①②⑦.⓪.⓪.①/", "private-number 127.0.0.1"],
  ["http:\\\\127.0.0.1\\x", "private-number 127.0.0.1"],
  ["http:127.0.0.1", "private-number 127.0.0.1"],
  ["http:///127.0.0.1", "private-number 127.0.0.1"],
  ["127.0.0.1:8080/x", "private-number 127.0.0.1"],
  ["http://127.255.255.254/", "private-number 127.255.255.254"],
  ["http://0/", "private-number 0.0.0.0"],
  ["http://0.0.0.0:8080/", "private-number 0.0.0.0"],
  ["http://[::]/", "private-number [::]"],
  ["http://[::1]/", "private-number [::1]"],
  ["http://[0:0:0:0:0:0:0:1]/", "private-number [::1]"],
  ["http://[::ffff:127.0.0.1]/", "private-number [::ffff:7f00:1]"],
  ["http://[::ffff:7f00:1]/", "private-number [::ffff:7f00:1]"],
  ["http://[::127.0.0.1]/", "private-number [::7f00:1]"],
  ["http://[::ffff:0:127.0.0.1]/", "private-number [::ffff:0:7f00:1]"],
  ["http://[64:ff9b::127.0.0.1]/", "private-number [64:ff9b::7f00:1]"],
  ["http://[2002:7f00:1::]/", "private-number [2002:7f00:1::]"],
  ["http://localhost/", "local-name localhost"],
  ["http://LOCALHOST./", "local-name localhost"],
  ["http://a.localhost/", "local-name a.localhost"],
  ["http://localhost.localdomain/", "local-name localhost.localdomain"],
  ["localhost:3000", "local-name localhost"],
  // Networks around it.
  ["http://10.0.0.1/", "private-number 10.0.0.1"],
  ["http://167772161/", "private-number 10.0.0.1"],
  ["http://192.168.1.1/", "private-number 192.168.1.1"],
  ["http://192.168.257/", "private-number 192.168.1.1"],
  ["http://172.16.0.1/", "private-number 172.16.0.1"],
  ["http://172.31.255.255/", "private-number 172.31.255.255"],
  ["http://100.64.0.1/", "private-number 100.64.0.1"],
  ["http://198.18.0.1/", "private-number 198.18.0.1"],
  ["http://[fc00::1]/", "private-number [fc00::1]"],
  ["http://[fd12:3456::1]/", "private-number [fd12:3456::1]"],
  ["http://[::ffff:10.0.0.1]/", "private-number [::ffff:a00:1]"],
  ["http://router/", "local-name router"],
  ["http://printer.local/", "local-name printer.local"],
  ["http://nas.lan/", "local-name nas.lan"],
  ["http://wiki.corp/", "local-name wiki.corp"],
  ["http://gate.home.arpa/", "local-name gate.home.arpa"],
  // Metadata and links.
  ["http://169.254.169.254/latest/meta-data/", "private-number 169.254.169.254"],
  ["http://2852039166/", "private-number 169.254.169.254"],
  ["http://0xa9fea9fe/", "private-number 169.254.169.254"],
  ["http://[::ffff:a9fe:a9fe]/", "private-number [::ffff:a9fe:a9fe]"],
  ["http://[fd00:ec2::254]/", "private-number [fd00:ec2::254]"],
  ["http://100.100.100.200/", "private-number 100.100.100.200"],
  ["http://192.0.0.192/", "private-number 192.0.0.192"],
  ["http://168.63.129.16/", "private-number 168.63.129.16"],
  ["http://metadata.google.internal/", "local-name metadata.google.internal"],
  ["http://metadata/", "local-name metadata"],
  ["http://[fe80::1]/", "private-number [fe80::1]"],
  // Multicast, broadcast and ranges for documents.
  ["http://224.0.0.1/", "private-number 224.0.0.1"],
  ["http://239.255.255.250/", "private-number 239.255.255.250"],
  ["http://255.255.255.255/", "private-number 255.255.255.255"],
  ["http://[ff02::1]/", "private-number [ff02::1]"],
  ["http://192.0.2.1/", "private-number 192.0.2.1"],
  ["http://[2001:db8::1]/", "private-number [2001:db8::1]"],
  // What is no address of a page.
  ["http://[fe80::1%25eth0]/", "InvalidInputError"],
  ["http://256.256.256.256/", "InvalidInputError"],
  ["http://user:pass@example.com/", "InvalidInputError"],
  ["http://example.com@127.0.0.1/", "InvalidInputError"],
  ["http://127.0.0.1#@example.com/", "private-number 127.0.0.1"],
  ["http://127.0.0.1\\@example.com/", "private-number 127.0.0.1"],
  ["http://127.0.0.1?@example.com/", "private-number 127.0.0.1"],
  ["ftp://example.com/", "InvalidInputError"],
  ["file:///etc/passwd", "InvalidInputError"],
  ["javascript:alert(1)", "InvalidInputError"],
  ["data:text/html,x", "InvalidInputError"],
  ["view-source:http://example.com", "InvalidInputError"],
  ["http://", "InvalidInputError"],
  ["http://exa mple.com/", "InvalidInputError"],
  ["http://127.0.0.1\t/", "InvalidInputError"],
  ["ht\ntp://example.com/", "InvalidInputError"],
  ["http://example.com:22/", "InvalidInputError"],
  ["http://example.com:8080/", "name example.com"],
  [`https://example.com/${"a".repeat(2_000)}`, "InvalidInputError"],
];

test.each(TRICKS)("the address %j is %s", (written, expected) => {
  expect(answer(written)).toBe(expected);
});

test("an address without a protocol is https, and http for a host of this machine", () => {
  expect(readAddress("example.com:8443/a").url).toBe("https://example.com:8443/a");
  expect(readAddress("localhost:3000/a").url).toBe("http://localhost:3000/a");
  expect(readAddress("127.0.0.1").url).toBe("http://127.0.0.1/");
});

test("the table of addresses holds at least 60 that must not be reached", () => {
  const refused = TRICKS.filter(([, expected]) => !/^(?:name|number) /.test(expected));
  expect(refused.length).toBeGreaterThanOrEqual(60);
});

test.each([
  ["8.8.8.8", true],
  ["::ffff:8.8.8.8", true],
  ["::ffff:808:808", true],
  ["2a00:1450::1", true],
  ["::ffff:127.0.0.1", false],
  ["::ffff:7f00:1", false],
  ["fe80::1%eth0", false],
  ["2001::1", false],
  ["100::1", false],
  ["localhost", false],
])("the resolved address %s is public: %p", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

describe("a redirect", () => {
  const from = (url: string, location: string) => {
    const redirect = judgeRedirect(readAddress(url), location);
    return redirect.kind === "follow" ? redirect.address.url : `${redirect.why}: ${redirect.target}`;
  };

  test.each([
    ["https://a.example/x", "/y?z=1", "https://a.example/y?z=1"],
    ["https://a.example/x", "https://A.example./y", "https://a.example./y"],
    ["http://a.example/", "https://a.example/", "https://a.example/"],
    ["http://a.example:8080/", "https://a.example/", "https://a.example/"],
    ["http://a.example/", "https://b.example/", "it is another host: https://b.example/"],
    ["https://a.example/", "https://www.a.example/", "it is another host: https://www.a.example/"],
    ["https://a.example/", "//127.0.0.1/", "it is another host: https://127.0.0.1/"],
    ["https://a.example/", "http://a.example/", "it is not encrypted: http://a.example/"],
    ["https://a.example/", "https://a.example:8443/", "it is another port: https://a.example:8443/"],
    ["http://a.example/", "https://a.example:8443/", "it is another port: https://a.example:8443/"],
    ["http://a.example:8080/", "http://a.example/", "it is another port: http://a.example/"],
    ["https://a.example/", "file:///etc/passwd", "it is no web address: file:///etc/passwd"],
    ["https://a.example/", "javascript:alert(1)", "it is no web address: javascript:alert(1)"],
  ])("from %s to %s is answered with %s", (url, location, expected) => {
    expect(from(url, location)).toBe(expected);
  });

  test("with a user name, or to no address at all, is an error", () => {
    expect(() => from("https://a.example/", "https://user@a.example/")).toThrow("user name");
    expect(() => from("https://a.example/", "http://[")).toThrow("no address");
  });
});

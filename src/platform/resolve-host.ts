import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { BlockList, isIP } from "node:net";

type Network = readonly [network: string, prefix: number, family: "ipv4" | "ipv6"];

/** Address ranges outside the public network (IANA's registries of special-purpose and multicast addresses). */
const INNER_NETWORKS: readonly Network[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  // A cloud's metadata and control address among public ones.
  ["168.63.129.16", 32, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["3fff::", 20, "ipv6"],
];
/** The only range of IPv6 that has public addresses; mapped, translated, local and multicast forms are outside of it. */
const PUBLIC_IPV6: Network = ["2000::", 3, "ipv6"];

let innerNetworks: BlockList | undefined;
let publicIpv6: BlockList | undefined;

/** True if a numeric address is public. IPv4 addresses in IPv6 form count as IPv4. */
export function isPublicAddress(address: string): boolean {
  const plain = mappedIpv4(address) ?? address;
  const family = isIP(plain);
  // A zone belongs to a link of this machine.
  if (family === 0 || plain.includes("%")) return false;
  innerNetworks ??= listOf(INNER_NETWORKS);
  publicIpv6 ??= listOf([PUBLIC_IPV6]);
  if (family === 6 && !publicIpv6.check(plain, "ipv6")) return false;
  return !innerNetworks.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** The IPv4 address in `::ffff:1.2.3.4` and `::ffff:102:304`; undefined for other addresses. */
function mappedIpv4(address: string): string | undefined {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 255])
    .join(".");
}

/** True if a numeric address leads to this machine. An IPv6 form of an IPv4 address counts, whichever address it is. */
export function isThisMachine(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "");
  return /^(?:127\.|0\.|::1?$|::ffff:)/i.test(/^[:0]*:1?$/.test(plain) ? "::1" : plain);
}

/** True if a host is a numeric address, brackets of IPv6 included. */
export function isNumericHost(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, "")) !== 0;
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix, family] of networks) list.addSubnet(network, prefix, family);
  return list;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves a name to all of its addresses, as `dns.lookup` with `all` does. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A lookup function for sockets that refuses a name when one of its addresses is not allowed. The socket connects to
 * the checked address, so a later DNS answer can't change it.
 * @param isAllowed Checks one numeric address.
 */
export function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve = lookup): typeof lookup {
  const guarded = (host: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = addresses.find(({ address }) => !isAllowed(address));
      if (refused) {
        const problem = new Error(`${host} resolves to ${refused.address}, which is not a public address`);
        return callback(Object.assign(problem, { code: "EACCES" }), []);
      }
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    });
  };
  // Sockets use only this overload.
  return guarded as typeof lookup;
}

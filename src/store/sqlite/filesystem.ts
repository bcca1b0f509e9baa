import { statfsSync } from "node:fs";
import { KonveierError } from "../../core/errors.js";

/**
 * File systems on which the shared memory of a write-ahead log or its locks do not work between
 * machines, by the magic number of `statfs(2)` on Linux.
 */
const NETWORK_FILESYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
]);

/** The name of a network file system, or `null` for any other. */
export function networkFilesystem(magic: number): string | null {
  // Some file systems report the number as a signed one.
  return NETWORK_FILESYSTEMS.get(magic >>> 0) ?? null;
}

/** @throws KonveierError `store_unsupported` */
export function refuseNetworkFilesystem(
  directory: string,
  magicOf: (path: string) => number = (path) => statfsSync(path).type,
): void {
  const name = process.platform === "linux" ? networkFilesystem(magicOf(directory)) : null;
  if (name === null) return;
  throw new KonveierError(
    "store_unsupported",
    `${directory} is on a network file system (${name}), where SQLite loses data. Put the database on a local disk, or use PostgreSQL for several machines.`,
  );
}

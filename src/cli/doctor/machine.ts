import { ENOUGH_FREE_DISK_BYTES, LEAST_FREE_DISK_BYTES } from "../../core/defaults.js";
import { fault, ok, warning, type Finding } from "./finding.js";

const MIB = 1024 * 1024;
/** `engines` of package.json. */
const LEAST_NODE = [20, 19] as const;
/** Each connection takes one, waiting claims and event streams for as long as they wait. */
const LEAST_FILES = 1_024;
const ENOUGH_FILES = 4_096;

/** @param version as `process.versions.node` */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) {
    return ok("node", `Node.js ${version}`);
  }
  return fault("node", `Node.js ${version} is too old`, `Install Node.js ${LEAST_NODE.join(".")} or newer.`);
}

/** @param freeBytes of the disk of the database, for this user */
export function checkDisk(freeBytes: number): Finding {
  const free = Math.floor(freeBytes / MIB);
  const found = `${free} MiB of the database's disk are free`;
  if (freeBytes < LEAST_FREE_DISK_BYTES)
    return fault("disk", found, "Free disk space: new jobs are refused when it is full.");
  if (freeBytes < ENOUGH_FREE_DISK_BYTES)
    return warning("disk", found, "Free disk space, or shorten the retention.");
  return ok("disk", found);
}

/** @param limits text of `/proc/self/limits`; `null` where there is none */
export function checkOpenFiles(limits: string | null): Finding {
  const text = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? "")?.[1];
  if (text === undefined) return ok("open-files", "the limit of open files cannot be read on this system");
  const limit = text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
  const found = `${text} files and connections may be open at once`;
  const advice = "Raise the limit: `LimitNOFILE=65536` in a systemd unit, `ulimit -n` in a shell.";
  if (limit < LEAST_FILES) return fault("open-files", found, advice);
  return limit < ENOUGH_FILES ? warning("open-files", found, advice) : ok("open-files", found);
}

import { describe, expect, test } from "vitest";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { networkFilesystem, refuseNetworkFilesystem } from "./filesystem.js";

describe("SQL-09 network file systems", () => {
  test.each([
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xff534d42, "CIFS"],
    [0xfe534d42, "SMB2"],
    [0x01021997, "9p"],
    [0x5346414f, "AFS"],
    [0x00c36400, "Ceph"],
    [0x0bd00bd0, "Lustre"],
    [0x47504653, "GPFS"],
  ])("0x%s is %s", (magic, name) => {
    expect(networkFilesystem(magic)).toBe(name);
    // As a signed 32-bit number, the way some systems report it.
    expect(networkFilesystem(magic | 0)).toBe(name);
  });

  test.each([
    ["ext4", 0xef53],
    ["tmpfs", 0x01021994],
    ["xfs", 0x58465342],
    ["btrfs", 0x9123683e],
    ["overlayfs", 0x794c7630],
    ["zfs", 0x2fc12fc1],
    ["nothing", 0],
  ])("%s is none", (_, magic) => {
    expect(networkFilesystem(magic)).toBeNull();
  });

  test.runIf(process.platform === "linux")("are refused with the directory and what to do", () => {
    const directory = tempDirectory();
    expect(() => {
      refuseNetworkFilesystem(directory, () => 0x6969);
    }).toThrow(
      expect.objectContaining({
        code: "store_unsupported",
        message: expect.stringMatching(
          /konveier-.* is on a network file system \(NFS\).*local disk/,
        ) as string,
      }) as Error,
    );
  });

  test("the directory of this test is taken", () => {
    expect(() => {
      refuseNetworkFilesystem(tempDirectory());
    }).not.toThrow();
  });
});

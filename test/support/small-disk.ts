import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

/** Whether this user may mount file systems of their own. */
export function mayMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "konveier-mount-"));
  try {
    mount(directory, 1);
    system("umount", directory);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A file system of so many MiB, removed when the test ends. */
export function smallDisk(mebibytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), "konveier-disk-"));
  mount(directory, mebibytes);
  onTestFinished(() => {
    // Lazy: processes of a failed test may still have files there.
    system("umount", "--lazy", directory);
    rmSync(directory, { recursive: true });
  });
  return directory;
}

function mount(directory: string, mebibytes: number): void {
  system("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", directory);
}

function system(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: "ignore" });
}

/** Takes all that is left of a disk. @returns the file that does */
export function fill(directory: string): string {
  const file = join(directory, "filler");
  const descriptor = openSync(file, "w");
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
    return file;
  } finally {
    closeSync(descriptor);
  }
}

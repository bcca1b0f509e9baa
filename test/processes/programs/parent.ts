/** What a program started by `startProgram` needs to talk with its test. */

export function input(): unknown {
  return JSON.parse(process.argv[2] ?? "");
}

export function tell(message: object): void {
  process.send?.(message);
}

export function onCommand(listener: (command: unknown) => void): void {
  process.on("message", listener);
}

/** Without a test nobody needs this process. */
const exit = () => process.exit(1);
process.on("disconnect", exit);

/** Lets the process end by itself, which it does when nothing else keeps it. */
export function leave(): void {
  process.off("disconnect", exit);
  process.disconnect();
}

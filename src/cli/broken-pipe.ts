/**
 * Keeps the process alive when nobody reads its output any more (`konveier serve | head -1`) or the disk
 * of the log is full: jobs matter more than the lines about them.
 */
export function surviveBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

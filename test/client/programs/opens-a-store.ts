// Says which native code a program has loaded that opened a store.
import { openStore } from "../../../src/open-store.js";

await (await openStore("sqlite::memory:")).close();
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
process.stdout.write(JSON.stringify(sharedObjects.filter((path) => path.endsWith(".node"))));

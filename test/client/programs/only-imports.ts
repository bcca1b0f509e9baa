// Says which native code the client has loaded.
import "../../../src/client/index.js";

const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
process.stdout.write(JSON.stringify(sharedObjects.filter((path) => path.endsWith(".node"))));

import { Konveier } from "../konveier.js";
import type { RunningWorker, WorkerSettings } from "./running-worker.js";

/** Starts a worker on a database itself. @throws KonveierError `store_…`, `validation_failed` */
export async function startLocalWorker(url: string, settings: WorkerSettings): Promise<RunningWorker> {
  const konveier = await Konveier.open(url, schemaOf(process.env));
  try {
    const worker = konveier.worker(settings);
    await worker.start();
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const stop = async (graceMs: number): Promise<number> => {
      const released = await worker.stop({ graceMs });
      await konveier.close();
      finish();
      return released;
    };
    return { id: worker.id, finished, stop };
  } catch (error) {
    await konveier.close();
    throw error;
  }
}

function schemaOf({ KONVEIER_SCHEMA: schema }: NodeJS.ProcessEnv) {
  return schema === undefined || schema === "" ? {} : { schema };
}

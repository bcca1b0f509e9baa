import { describe, expect, it } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import { StopRequests, type StopStep } from "./stop-requests.js";

/** Signals after these milliseconds, and what each led to. */
function stepsAt(...times: readonly number[]): string[] {
  const clock = new FakeClock();
  const start = clock.monotonic();
  const steps: string[] = [];
  const requests = new StopRequests(clock, (step: StopStep) => {
    steps.push(`${clock.monotonic() - start} ${step}`);
  });
  let now = 0;
  for (const time of times) {
    clock.block(time - now);
    now = time;
    requests.signalled();
  }
  return steps;
}

describe("StopRequests", () => {
  it("stops gracefully at the first signal", () => {
    expect(stepsAt(0)).toEqual(["0 graceful"]);
  });

  it("takes a signal within a second of the first for its echo", () => {
    expect(stepsAt(0, 3, 100, 999)).toEqual(["0 graceful"]);
  });

  it("forces at a signal one second later", () => {
    expect(stepsAt(0, 1_000)).toEqual(["0 graceful", "1000 forced"]);
  });

  it("counts the second from the first signal, not from its echoes", () => {
    expect(stepsAt(0, 600, 1_200)).toEqual(["0 graceful", "1200 forced"]);
  });

  it("does not kill by the echo of the second request", () => {
    expect(stepsAt(0, 6_000, 6_005)).toEqual(["0 graceful", "6000 forced"]);
  });

  it("kills at the third request", () => {
    expect(stepsAt(0, 6_000, 6_100)).toEqual(["0 graceful", "6000 forced", "6100 kill"]);
  });

  it("is not confused by the wall clock", () => {
    const clock = new FakeClock();
    const steps: StopStep[] = [];
    const requests = new StopRequests(clock, (step) => steps.push(step));
    requests.signalled();
    clock.stepWall(-3_600_000);
    clock.block(2_000);
    requests.signalled();
    expect(steps).toEqual(["graceful", "forced"]);
  });
});

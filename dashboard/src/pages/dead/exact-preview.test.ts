import { describe, expect, it } from "vitest";
import type { BulkPreviewView, DeadGroupView } from "../../api/types.js";
import type { PreviewedBulk } from "../../ui/bulk-target.js";
import { exactly } from "./exact-preview.js";

const previewed = (
  states: PreviewedBulk["states"],
  counts: readonly number[] | null,
  capped = true,
): PreviewedBulk => ({
  preview: { matched: 10_000, capped } as BulkPreviewView,
  states,
  skipped: null,
  gone: 0,
  jobs: [],
  errors: counts?.map((count) => ({ count }) as DeadGroupView) ?? null,
});

describe("the number of jobs of a preview", () => {
  it("is that of the errors where the preview stopped counting", () => {
    const { preview, states } = exactly(previewed({ dead: { count: 10_000, capped: true } }, [9_000, 3_000]));
    expect(preview).toMatchObject({ matched: 12_000, capped: false });
    expect(states).toEqual({ dead: { count: 12_000, capped: false } });
  });

  it("is that by state where that is exact", () => {
    const { preview } = exactly(previewed({ dead: { count: 12_001, capped: false } }, null));
    expect(preview).toMatchObject({ matched: 12_001, capped: false });
  });

  it("stays where nothing tells more, or it is exact", () => {
    for (const same of [
      previewed({ dead: { count: 10_000, capped: true } }, null),
      previewed({}, null),
      previewed({ dead: { count: 10_000, capped: false } }, [10_000], false),
    ]) {
      expect(exactly(same)).toBe(same);
    }
  });
});

/** Up to `limit` items; the rest is not asked for. */
export async function* firstOf<Item>(
  items: AsyncIterable<Item>,
  limit: number,
): AsyncGenerator<Item, void, undefined> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

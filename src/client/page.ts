/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Hand it to the call for the next page; `null` after the last one. */
  readonly nextCursor: string | null;
}

export interface PageQuery {
  /** Items of one page. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** All items of a list, page by page as they are asked for. */
export async function* pages<Item>(
  pageOf: (query: PageQuery) => Promise<Page<Item>>,
  limit?: number,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await pageOf({
      ...(limit !== undefined && { limit }),
      ...(cursor !== null && { cursor }),
    });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

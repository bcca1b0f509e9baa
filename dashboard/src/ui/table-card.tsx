import type { ReactNode } from "react";
import { Link } from "wouter";
import { ProblemNote } from "./problem-note.js";

export interface Column {
  readonly title: string;
  /** Right, with digits below each other. */
  readonly isNumber?: boolean;
}

/** A table that becomes cards on a phone. Its cells name their column in `data-label`. */
export function StackingTable({
  caption,
  columns,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="table-frame">
      <table className="stacks">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber = false }) => (
              <th key={title} scope="col" className={isNumber ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A card with a short table, and a link to all of its kind. */
export function TableCard<Row>({
  title,
  link,
  columns,
  rows,
  row,
  empty,
  error = null,
  retry,
}: {
  readonly title: string;
  readonly link: { readonly href: string; readonly text: string };
  readonly columns: readonly Column[];
  /** `undefined`: not read yet. */
  readonly rows: readonly Row[] | undefined;
  readonly row: (row: Row) => ReactNode;
  /** Instead of a table without rows. */
  readonly empty: string;
  readonly error?: unknown;
  readonly retry?: () => void;
}): ReactNode {
  return (
    <section className="card">
      <div className="card-header">
        <h2>{title}</h2>
        <Link href={link.href}>{link.text}</Link>
      </div>
      {error !== null && rows === undefined && (
        <ProblemNote error={error} {...(retry === undefined ? {} : { retry })} />
      )}
      {rows?.length === 0 && <p className="empty">{empty}</p>}
      {rows !== undefined && rows.length > 0 && (
        <StackingTable caption={title} columns={columns}>
          {rows.map(row)}
        </StackingTable>
      )}
    </section>
  );
}

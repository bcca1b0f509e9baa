import type { Format } from "./formats.js";
import { harmless, harmlessJson } from "./harmless.js";
import { fieldsOf, tableOf, type Column } from "./table.js";
import type { Terminal } from "./terminal.js";

/** How a list is shown. */
export interface ListView<Row> {
  readonly columns: readonly Column<Row>[];
  readonly id: (row: Row) => string;
  /** Told on stderr where a table would have no rows. */
  readonly empty: string;
}

/** How one thing is shown. */
export interface ThingView<Thing> {
  /** `null`: there is nothing to show. */
  readonly fields: (thing: Thing) => readonly (readonly [string, string | null])[];
  readonly id: (thing: Thing) => string;
}

/** Data goes to stdout in the format that was asked for, messages go to stderr. */
export class Output {
  constructor(
    private readonly asked: Format | undefined,
    private readonly terminal: Terminal,
  ) {}

  /** Whether a person gets tables. */
  get forPeople(): boolean {
    return (this.asked ?? (this.terminal.interactive ? "table" : "json")) === "table";
  }

  async list<Row>(rows: AsyncIterable<Row> | Iterable<Row>, view: ListView<Row>): Promise<void> {
    const format = this.asked ?? (this.terminal.interactive ? "table" : "jsonl");
    if (format === "jsonl") for await (const row of rows) this.line(row);
    else if (format === "ids") for await (const row of rows) this.text(view.id(row));
    else await this.#whole(rows, view, format);
  }

  async #whole<Row>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    { columns, empty }: ListView<Row>,
    format: "table" | "json",
  ): Promise<void> {
    const all: Row[] = [];
    for await (const row of rows) all.push(row);
    if (format === "json") this.#json(all);
    else if (all.length > 0) this.terminal.write(tableOf(columns, all, this.terminal));
    else this.message(empty);
  }

  one<Thing>(thing: Thing, { fields, id }: ThingView<Thing>): void {
    if (this.forPeople) this.terminal.write(fieldsOf(fields(thing), this.terminal));
    else if (this.asked === "ids") this.text(id(thing));
    else if (this.asked === "jsonl") this.line(thing);
    else this.#json(thing);
  }

  /** One thing as one line of JSON. */
  line(thing: unknown): void {
    this.terminal.write(`${harmlessJson(JSON.stringify(thing))}\n`);
  }

  /** JSON text as it is stored. */
  stored(json: string): void {
    this.terminal.write(`${harmlessJson(json)}\n`);
  }

  text(text: string): void {
    this.terminal.write(`${harmless(text)}\n`);
  }

  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
    this.terminal.write(tableOf(columns, rows, this.terminal));
  }

  /** For people, whatever becomes of the data. */
  message(text: string): void {
    console.error(harmless(text));
  }

  #json(value: unknown): void {
    this.terminal.write(`${harmlessJson(JSON.stringify(value, null, 2))}\n`);
  }
}

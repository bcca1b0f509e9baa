/**
 * Labels as they stand in the exposition, such as `queue="mail"`. Made once for many lines: writing labels
 * anew for each line took most of the time of a scrape.
 */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

/**
 * Text of metrics of which all values are known at once, because they are read from the store, in the format
 * 0.0.4. The metrics of prom-client are made to be counted up one by one.
 */
export class Exposition {
  readonly #lines: string[] = [];

  /** Begins a metric; its values follow. `help` has no line breaks. */
  metric(name: string, type: "counter" | "gauge" | "histogram", help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  value(name: string, labels: string, value: number): void {
    this.#lines.push(labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`);
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

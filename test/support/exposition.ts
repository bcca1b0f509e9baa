export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i;

/** What a server answers at `/metrics`, read as Prometheus does. */
export class Scrape {
  /** Names of metrics with their types. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];

  constructor(readonly text: string) {
    const lines = text.split("\n").filter((line) => line !== "");
    this.types = new Map(
      lines.flatMap((line) => {
        const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
        return name === undefined || type === undefined ? [] : [[name, type] as const];
      }),
    );
    this.samples = lines.filter((line) => !line.startsWith("#")).map(parse);
  }

  /** The value of the one series with these labels, and no others. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.#with(name, labels).filter(
      (sample) => Object.keys(sample.labels).length === Object.keys(labels).length,
    );
    if (found.length > 1) throw new Error(`${name} has a series twice`);
    return found[0]?.value;
  }

  /** Added up over all series that have these labels, and perhaps others. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.#with(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** All values of a label. */
  values(label: string): Set<string> {
    return new Set(this.samples.flatMap(({ labels }) => labels[label] ?? []));
  }

  #with(name: string, wanted: Readonly<Record<string, string>>): readonly Sample[] {
    return this.samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
    );
  }
}

function parse(line: string): Sample {
  const [, name = "", labels = "", value = ""] = LINE.exec(line) ?? [];
  if (name === "") throw new Error(`This is no line of an exposition: ${line}`);
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = "", text = ""]) => [label, unescaped(text)] as const,
  );
  return {
    name,
    labels: Object.fromEntries(pairs),
    value: Number(value.replace(/^Nan$/, "NaN").replace("+Inf", "Infinity")),
  };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}

/** A sample of Prometheus's text format. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedMetrics {
  readonly samples: readonly Sample[];
  /** The types of the metrics by name. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the only sample with this name and at least these labels; `undefined` if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[-+0-9.e]+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/gy;

/** Parses the text format, version 0.0.4. Throws for a text that breaks its rules. */
export function parsePrometheusText(text: string): ParsedMetrics {
  if (!text.endsWith("\n")) throw new Error("The last line doesn't end.");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") helped.add(name!);
    else if (keyword === "TYPE") {
      if (types.has(name!) || !TYPES.includes(rest!)) throw new Error(`Wrong type: ${line}`);
      types.set(name!, rest!);
    } else if (line !== "") samples.push(parseSample(line));
  }
  for (const { name } of samples) {
    const family = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "");
    if (!types.has(family) || !helped.has(family)) throw new Error(`${name} has no TYPE or HELP.`);
  }
  const keys = samples.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).sort()]));
  if (new Set(keys).size < keys.length) throw new Error("A sample occurs twice.");
  for (const [name, type] of types) if (type === "histogram") checkHistogram(name, samples);
  return {
    samples,
    types,
    value(name, labels = {}) {
      const found = samples.filter((sample) => {
        return sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
      });
      if (found.length > 1) throw new Error(`${found.length} samples of ${name} match.`);
      return found[0]?.value;
    },
  };
}

function parseSample(line: string): Sample {
  const [, name, text = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`Not a sample: ${line}`);
  const labels = [...text.matchAll(LABEL)];
  if (labels.map(([whole]) => whole).join("") !== text) throw new Error(`Wrong labels: ${line}`);
  return {
    name,
    labels: Object.fromEntries(labels.map(([, key, label]) => [key!, label!])),
    value: Number(value!.replace("Inf", "Infinity")),
  };
}

/** Throws unless the buckets of each series are cumulative and the last one has the count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const seriesOf = ({ labels: { le: _, ...labels } }: Sample) => JSON.stringify(Object.entries(labels).sort());
  for (const count of samples.filter((sample) => sample.name === `${name}_count`)) {
    const own = samples.filter((sample) => seriesOf(sample) === seriesOf(count));
    const buckets = own
      .filter((sample) => sample.name === `${name}_bucket`)
      .map(({ labels, value }) => ({ bound: Number(labels.le!.replace("Inf", "Infinity")), value }));
    const isOrdered = buckets.every(({ bound, value }, index) => {
      const before = buckets[index - 1];
      return !before || (bound > before.bound && value >= before.value);
    });
    const last = buckets.at(-1);
    if (!isOrdered || last?.bound !== Number.POSITIVE_INFINITY || last.value !== count.value)
      throw new Error(`The buckets of ${name} are wrong: ${JSON.stringify(buckets)}, count ${count.value}`);
    if (own.filter((sample) => sample.name === `${name}_sum`).length !== 1) throw new Error(`${name} has no sum.`);
  }
}

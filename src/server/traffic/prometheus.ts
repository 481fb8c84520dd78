// The server's counters and timings → Prometheus' text format. Labels are only known routes and existing indexes, so a
// client cannot make the list grow.

import { SluiceError } from "../../index.ts";
import type { ServedIndex } from "../indexes/served.ts";

/** Upper bounds of the histogram's bins, in seconds. Changing them breaks the history of stored metrics. */
const BIN_ENDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface Durations {
  readonly bins: number[];
  sum: number;
  count: number;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  inFlight = 0;

  record(method: string, route: string, status: number, ms: number): void {
    const key = labels({ method, route, status: String(status) });
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    const durations = this.#durations.get(route) ?? { bins: BIN_ENDS.map(() => 0), sum: 0, count: 0 };
    this.#durations.set(route, durations);
    const seconds = ms / 1000;
    for (const [i, end] of BIN_ENDS.entries()) if (seconds <= end) durations.bins[i]++;
    durations.sum += seconds;
    durations.count++;
  }

  text(indexes: Iterable<ServedIndex>): string {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...family("sluice_http_requests_total", "counter", "Answered requests", this.#requests),
      ...this.#histogram(),
      ...family("sluice_http_in_flight", "gauge", "Requests in progress", [["", this.inFlight]]),
      ...indexMetrics([...indexes]),
      ...family("process_resident_memory_bytes", "gauge", "Resident memory of the process", [["", rss]]),
      ...family("nodejs_heap_used_bytes", "gauge", "Memory of JavaScript objects", [["", heapUsed]]),
      ...family("process_cpu_seconds_total", "counter", "CPU time of the process", [
        ["", (user + system) / 1e6],
      ]),
      ...family("process_uptime_seconds", "gauge", "Seconds since the process started", [
        ["", process.uptime()],
      ]),
      "",
    ].join("\n");
  }

  #histogram(): string[] {
    const name = "sluice_http_request_seconds";
    const lines = [`# HELP ${name} Seconds from a request to its answer`, `# TYPE ${name} histogram`];
    for (const [route, { bins, sum, count }] of this.#durations) {
      for (const [i, end] of BIN_ENDS.entries())
        lines.push(`${name}_bucket${labels({ route, le: String(end) })} ${bins[i]}`);
      lines.push(`${name}_bucket${labels({ route, le: "+Inf" })} ${count}`);
      lines.push(`${name}_sum${labels({ route })} ${sum}`, `${name}_count${labels({ route })} ${count}`);
    }
    return lines;
  }
}

function indexMetrics(indexes: readonly ServedIndex[]): string[] {
  const all = indexes.flatMap(({ name, index, queue }) => {
    try {
      return [{ name, info: index.info(), commits: queue.commits }];
    } catch (error) {
      // This index was closed; the others still have numbers.
      if (error instanceof SluiceError && error.code === "ERR_SLUICE_CLOSED") return [];
      throw error;
    }
  });
  /** A sample for each index. */
  const perIndex = (value: (one: (typeof all)[number]) => number) =>
    all.map((one): [string, number] => [labels({ index: one.name }), value(one)]);
  return [
    ...family(
      "sluice_index_documents",
      "gauge",
      "Documents that searches see",
      perIndex(({ info }) => info.docs),
    ),
    ...family(
      "sluice_index_segments",
      "gauge",
      "Segments",
      perIndex(({ info }) => info.segments.length),
    ),
    ...family(
      "sluice_index_generation",
      "gauge",
      "Commits and merges so far",
      perIndex(({ info }) => info.generation),
    ),
    ...family(
      "sluice_index_row_bytes",
      "gauge",
      "Bytes of the rows",
      perIndex(({ info }) => info.rowBytes),
    ),
    ...family(
      "sluice_index_disk_bytes",
      "gauge",
      "Bytes on the disk",
      perIndex(({ info }) => info.diskBytes ?? 0),
    ),
    ...family(
      "sluice_index_commits_total",
      "counter",
      "Commits by this server",
      perIndex(({ commits }) => commits),
    ),
  ];
}

function family(
  name: string,
  type: "counter" | "gauge",
  help: string,
  values: Iterable<readonly [labels: string, value: number]>,
): string[] {
  const lines = Array.from(values, ([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function labels(pairs: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
  return `{${Object.entries(pairs)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",")}}`;
}

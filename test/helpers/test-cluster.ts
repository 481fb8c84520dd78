// Starts nodes of OpenSearch on this machine, for tests and benches, kills them and starts them again.
//
//   SLUICE_OPENSEARCH=1                       starts three nodes; needs mvn, unzip and a JDK 17
//   SLUICE_OPENSEARCH=auto                    the same, but where Maven cannot bring OpenSearch there is no cluster
//   SLUICE_OPENSEARCH=opensearch://host:9200  uses a cluster that runs; nothing is killed

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { opensearchHome } from "./opensearch-home.ts";

/** Why there is no cluster to test with; undefined if there is one. */
export function reasonForNoCluster(): string | undefined {
  const asked = process.env.SLUICE_OPENSEARCH;
  if (asked === undefined) return "SLUICE_OPENSEARCH is not set: no cluster is started";
  if (asked.startsWith("opensearch")) return undefined;
  const missing = missingProgram();
  if (missing || asked !== "auto") return missing;
  try {
    opensearchHome(sharedFolder());
  } catch {
    return "Maven cannot bring OpenSearch here";
  }
  return undefined;
}

/** What a cluster cannot be installed or run without, if it is not there. */
function missingProgram(): string | undefined {
  for (const command of ["mvn", "unzip"]) {
    try {
      execFileSync(command, ["-v"], { stdio: "ignore" });
    } catch {
      return `there is no ${command}, which a cluster is installed with`;
    }
  }
  return java() === undefined ? "there is no JDK 17, which a cluster runs on" : undefined;
}

/** The folder that has OpenSearch and all clusters. */
function sharedFolder(): string {
  const folder = process.env.SLUICE_OPENSEARCH_FOLDER ?? join(tmpdir(), "sluice-opensearch");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The command of a JDK 17. */
function java(): string | undefined {
  for (const home of [process.env.JAVA_HOME, "/usr/lib/jvm/java-17-openjdk-amd64", "/usr"]) {
    const command = join(home ?? "", "bin/java");
    if (home === undefined || !existsSync(command)) continue;
    const { version } = /version "(?<version>\d+)/.exec(versionText(command))?.groups ?? {};
    if (version === "17") return command;
  }
  return undefined;
}

function versionText(command: string): string {
  return execFileSync(command, ["--version"], { encoding: "utf8" }).replace(/^openjdk (\d+)/, 'version "$1');
}

/** How long nodes may take to find each other, in ms. A busy machine takes minutes. */
const START_MS = 480_000;
const MEMORY = process.env.SLUICE_OPENSEARCH_MEMORY ?? "700m";

interface TestNode {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly transport: number;
  process: ChildProcess | undefined;
}

export class TestCluster {
  readonly #folder: string;
  readonly #home: string;
  readonly #nodes: TestNode[];

  private constructor(folder: string, home: string, nodes: TestNode[]) {
    this.#folder = folder;
    this.#home = home;
    this.#nodes = nodes;
  }

  /** Starts so many nodes, and waits until they are a cluster. */
  static async start(count = 3): Promise<TestCluster> {
    const shared = sharedFolder();
    const home = opensearchHome(shared);
    const folder = mkdtempSync(join(shared, "cluster-"));
    const ports = await freePorts(2 * count);
    const nodes = Array.from({ length: count }, (_, i) => {
      const name = `n${i + 1}`;
      return {
        name,
        folder: join(folder, name),
        port: ports[2 * i],
        transport: ports[2 * i + 1],
        process: undefined,
      };
    });
    const cluster = new TestCluster(folder, home, nodes);
    for (let i = 0; i < count; i++) cluster.startNode(i);
    try {
      await cluster.wait(count);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The address of an index. */
  address(name: string): string {
    return `opensearch://${this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${name}`;
  }

  /** URLs of the nodes. */
  get urls(): string[] {
    return this.#nodes.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Removes all indexes. */
  async clear(): Promise<void> {
    await this.#ask("/*", "DELETE");
  }

  /** Starts a node, for the first time or again. */
  startNode(i: number): void {
    const node = this.#nodes[i];
    for (const name of ["conf", "data", "logs"]) mkdirSync(join(node.folder, name), { recursive: true });
    writeFileSync(join(node.folder, "conf/opensearch.yml"), this.#settings(node));
    writeFileSync(join(node.folder, "conf/log4j2.properties"), logging(join(node.folder, "logs/log.txt")));
    const out = openSync(join(node.folder, "out.txt"), "a");
    const command = [
      ...[
        "-n",
        "5",
        java()!,
        `-Xms${MEMORY}`,
        `-Xmx${MEMORY}`,
        "-XX:+UseSerialGC",
        "-Dlog4j2.disable.jmx=true",
      ],
      ...[
        `-Djava.io.tmpdir=${node.folder}/data`,
        "-cp",
        `${this.#home}/lib/*`,
        join(this.#home, "NodeMain.java"),
      ],
      ...[this.#home, join(node.folder, "conf"), node.name],
    ];
    node.process = spawn("nice", command, { stdio: ["ignore", out, out] });
  }

  /** Kills a node at once, as a power cut does. */
  async killNode(i: number): Promise<void> {
    const { process: child } = this.#nodes[i];
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    this.#nodes[i].process = undefined;
  }

  /** The node that is elected to manage the cluster. */
  async findManager(): Promise<number> {
    const text = await this.#ask("/_cat/cluster_manager?h=node");
    return this.#nodes.findIndex(({ name }) => name === text.trim());
  }

  /** Waits until so many nodes are a cluster, and all shards have at least the given health. */
  async wait(nodes: number, health: "yellow" | "green" = "yellow"): Promise<void> {
    const end = Date.now() + START_MS;
    for (;;) {
      try {
        const answer = JSON.parse(await this.#ask(`/_cluster/health?wait_for_status=${health}&timeout=5s`));
        if (answer.number_of_nodes === nodes && !answer.timed_out) return;
      } catch {
        // not yet
      }
      if (Date.now() > end)
        throw new Error(`no cluster of ${nodes} nodes after ${START_MS / 1000} s\n${this.#logs()}`);
      await pause(500);
    }
  }

  async stop(): Promise<void> {
    for (const i of this.#nodes.keys()) await this.killNode(i);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The first answer of a node. */
  async #ask(path: string, method = "GET"): Promise<string> {
    for (const url of this.urls) {
      const signal = AbortSignal.timeout(10_000);
      const answer = await fetch(url + path, { method, signal }).catch(() => undefined);
      if (answer?.ok) return answer.text();
    }
    throw new Error(`no node answers ${path}`);
  }

  #settings({ name, folder, port, transport }: TestNode): string {
    const seeds = this.#nodes.map((node) => `"127.0.0.1:${node.transport}"`);
    return [
      "cluster.name: sluice-test",
      `node.name: ${name}`,
      "network.host: 127.0.0.1",
      `http.port: ${port}`,
      `transport.port: ${transport}`,
      `discovery.seed_hosts: [${seeds}]`,
      `cluster.initial_cluster_manager_nodes: [${this.#nodes.map((node) => node.name)}]`,
      // A machine for tests is often nearly full.
      "cluster.routing.allocation.disk.threshold_enabled: false",
      // Shards are small here, and OpenSearch's own limits make a node that comes back wait for minutes.
      "cluster.routing.allocation.node_concurrent_recoveries: 16",
      "cluster.routing.allocation.node_initial_primaries_recoveries: 16",
      `path: { data: ${folder}/data, logs: ${folder}/logs }`,
      "",
    ].join("\n");
  }

  #logs(): string {
    const files = this.#nodes.map(({ folder }) => join(folder, "out.txt")).filter((file) => existsSync(file));
    return files.map((file) => readFileSync(file, "utf8").slice(-2000)).join("\n");
  }
}

function logging(file: string): string {
  return [
    "status=error",
    "appender.file.type=File",
    "appender.file.name=file",
    `appender.file.fileName=${file}`,
    "appender.file.layout.type=PatternLayout",
    "appender.file.layout.pattern=%d %p %c{1.} %m%n",
    "rootLogger.level=info",
    "rootLogger.appenderRef.file.ref=file",
    "",
  ].join("\n");
}

/** Ports that nobody listens on now. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

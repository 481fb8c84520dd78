// The files of deploy/ fit the program: every flag exists, times to stop are long enough, the YAML has the right parts, and
// systemd accepts the unit. Images are not built here.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands/command-groups.ts";
import { Arguments } from "../../src/cli/terminal/command.ts";
import { keysOfFile } from "../../src/server/index.ts";
import { ROUTES } from "../../src/server/routes/routes.ts";

/** The package has no types. */
const { loadAll }: { loadAll(text: string): unknown[] } = createRequire(import.meta.url)("js-yaml");

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (name: string) => readFileSync(join(root, name), "utf8");
const serve = COMMANDS.find(({ name }) => name === "serve")!;
const manifest = JSON.parse(read("package.json"));

interface Kubernetes {
  readonly kind: string;
  readonly stringData?: { readonly keys: string };
  // biome-ignore lint/suspicious/noExplicitAny: looked into field by field
  readonly spec: any;
}
const objects = loadAll(read("deploy/kubernetes.yaml")) as Kubernetes[];
const set = objects.find(({ kind }) => kind === "StatefulSet")!.spec;
const [container] = set.template.spec.containers;

const unit = read("deploy/sluice.service").replaceAll(/\\\n\s*/g, "");
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";

const dockerfile = read("deploy/Dockerfile").replaceAll(/\\\n\s*/g, "");
/** The last instruction of a name. */
const instructionOf = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].at(-1)![1];

/** The words behind `sluice` in each file. */
const COMMAND_LINES: Readonly<Record<string, readonly string[]>> = {
  "sluice.service": settingOf("ExecStart").split(" sluice ")[1].split(/\s+/),
  Dockerfile: JSON.parse(instructionOf("CMD")),
  "kubernetes.yaml": container.args,
};

test.each(Object.entries(COMMAND_LINES))("%s starts the server with flags that exist", (_, words) => {
  const [command, ...rest] = words;
  expect(command).toBe("serve");
  const args = new Arguments(serve, rest); // throws for a flag that does not exist
  expect(args.operands).toEqual([]);
  expect(args.text("folder")).toMatch(/^\//);
  expect(args.has("keys")).toBe(true);
  for (const name of ["drain-ms", "grace-ms", "slow-ms"]) args.whole(name);
});

test.each([
  ["sluice.service", Number(settingOf("TimeoutStopSec"))],
  ["kubernetes.yaml", set.template.spec.terminationGracePeriodSeconds as number],
])("%s gives the server time to stop", (name, seconds) => {
  const args = new Arguments(serve, COMMAND_LINES[name].slice(1));
  expect(seconds * 1000).toBeGreaterThan(args.whole("drain-ms")! + args.whole("grace-ms")!);
});

test("the example of Kubernetes has one writer, a volume, probes of routes that exist, keys that can be read, and no rights", async () => {
  expect(objects.map(({ kind }) => kind)).toEqual(["Secret", "Service", "StatefulSet"]);
  expect(set.replicas).toBe(1);
  expect(set.volumeClaimTemplates).toHaveLength(1);
  const args = new Arguments(serve, container.args.slice(1));
  const mounts = new Map<string, string>(
    container.volumeMounts.map((mount: { name: string; mountPath: string }) => [mount.name, mount.mountPath]),
  );
  expect(mounts.get("data")).toBe(args.text("folder"));
  expect(args.text("keys")).toBe(`${mounts.get("keys")}/keys`);
  expect(container.startupProbe.httpGet.path).toBe(ROUTES.ready.path);
  expect(container.readinessProbe.httpGet.path).toBe(ROUTES.ready.path);
  expect(container.livenessProbe.httpGet.path).toBe(ROUTES.health.path);
  expect(container.ports[0].containerPort).toBe(args.number("port"));
  expect(container.image).toBe(`sluice:${manifest.version}`);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(args.whole("drain-ms")).toBeGreaterThan(1000 * periodSeconds * failureThreshold);
  expect(set.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65534 });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  const folder = mkdtempSync(join(tmpdir(), "sluice-deploy-"));
  writeFileSync(join(folder, "keys"), objects[0].stringData!.keys);
  const { admin } = await keysOfFile(join(folder, "keys"));
  expect(admin).toMatchObject([{ name: "replace-me" }]);
  rmSync(folder, { recursive: true });
});

test("the image runs the program of the package as nobody, and asks for its health", () => {
  expect(instructionOf("USER")).toBe("65534:65534");
  const [, entry] = JSON.parse(instructionOf("ENTRYPOINT"));
  expect(entry).toBe(`/app/node_modules/sluice/${manifest.bin.sluice}`);
  expect(instructionOf("ARG")).toBe(`VERSION=${manifest.version}`);
  const { port } = serve.flags;
  expect(instructionOf("HEALTHCHECK")).toContain(`http://127.0.0.1:${port.default}${ROUTES.health.path}`);
  expect(instructionOf("EXPOSE")).toBe(port.default);
  const [, check] = /CMD (\[.*\])$/.exec(instructionOf("HEALTHCHECK"))!;
  const [, flag, program] = JSON.parse(check);
  // Nobody listens on the port, or something without /health: the program must compile, and say no.
  const { status } = spawnSync(process.execPath, [flag, program.replace("7700", "1")]);
  expect(status).toBe(1);
});

test("the unit reloads by SIGHUP, runs as its own user, and is hardened", () => {
  expect(settingOf("ExecReload")).toBe("/bin/kill -HUP $MAINPID");
  expect(settingOf("User")).toBe("sluice");
  for (const name of ["NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables"])
    expect([name, settingOf(name)]).toEqual([name, "yes"]);
  expect(settingOf("ProtectSystem")).toBe("strict");
  const args = new Arguments(serve, COMMAND_LINES["sluice.service"].slice(1));
  expect(args.text("folder")).toBe(`/var/lib/${settingOf("StateDirectory")}`);
  expect(args.text("audit")).toMatch(`/var/log/${settingOf("LogsDirectory")}/`);
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
test(`systemd accepts the unit${hasSystemd ? "" : " (skipped: no systemd-analyze)"}`, {
  skip: !hasSystemd,
}, () => {
  const verify = ["verify", "--man=no", join(root, "deploy/sluice.service")];
  const { status, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
  // A machine may have bad units of its own.
  const about = stderr.split("\n").filter((line) => line.includes("sluice.service"));
  expect([status, about]).toEqual([0, []]);
});

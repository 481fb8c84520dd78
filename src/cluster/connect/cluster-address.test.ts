import { expect, test } from "vitest";
import { isClusterAddress } from "../../open/location.ts";
import { chooseAccess, parseClusterAddress } from "./cluster-address.ts";

test("an address has nodes and a name", () => {
  expect(parseClusterAddress("opensearch://a:9201,b/papers")).toMatchObject({
    nodes: ["http://a:9201", "http://b:9200"],
    name: "papers",
  });
  expect(parseClusterAddress("opensearchs://[::1]:443/x-1").nodes).toEqual(["https://[::1]:443"]);
  expect(isClusterAddress("opensearch://a/b")).toBe(true);
  expect(isClusterAddress("./opensearch")).toBe(false);
});

test.each([
  ["opensearch://a:9200", "not an address"],
  ["opensearch://a/b/c", "not an address"],
  ["opensearch:///b", "is not a host"],
  ["opensearch://127.0.0.1:99999/b", '"127.0.0.1:99999" has a host or a port that cannot be'],
  ["opensearch://a,999.1.1.1/b", '"999.1.1.1" has a host or a port that cannot be'],
  ["opensearch://a/Upper", "cannot be the name"],
  ["opensearch://a/", "cannot be the name"],
  ["opensearch://user:secret@a/b", "holds a user or a password"],
])("%s is refused", (address, message) => {
  expect(() => parseClusterAddress(address)).toThrow(message);
  expect(() => parseClusterAddress(address)).not.toThrow("secret");
});

test("secrets come from the environment", () => {
  const read = (environment: Record<string, string>) => chooseAccess({}, environment);
  expect(read({})).toEqual({});
  expect(read({ SLUICE_CLUSTER_USER: "me", SLUICE_CLUSTER_PASSWORD: "x" })).toEqual({
    auth: { username: "me", password: "x" },
  });
  expect(read({ SLUICE_CLUSTER_HEADER: "Authorization: Bearer a:b" })).toEqual({
    headers: { Authorization: "Bearer a:b" },
  });
  expect(() => read({ SLUICE_CLUSTER_USER: "me" })).toThrow("go together");
  expect(() => read({ SLUICE_CLUSTER_HEADER: "Bearer" })).toThrow("no colon");
  expect(() => read({ SLUICE_CLUSTER_CA: "/no/such/file" })).toThrow("no such file");
});

test.each([
  [{ "a b": "x" }, 'the name of the header "a b"'],
  [{ "": "x" }, 'the name of the header ""'],
  [{ Authorization: "secret\ny" }, 'the value of the header "Authorization"'],
])("headers that HTTP does not allow are refused: %j", (headers, message) => {
  const read = () => chooseAccess({ headers }, {});
  expect(read).toThrow(`cluster.headers: ${message} has a character that HTTP does not allow`);
  expect(read).not.toThrow("secret");
  const [[name, value]] = Object.entries(headers);
  if (name) {
    const environment = { SLUICE_CLUSTER_HEADER: `${name}: ${value}` };
    expect(() => chooseAccess({}, environment)).toThrow(`SLUICE_CLUSTER_HEADER: ${message}`);
  }
});

test("options replace what the environment says", () => {
  const environment = { SLUICE_CLUSTER_USER: "me", SLUICE_CLUSTER_PASSWORD: "x", SLUICE_CLUSTER_CA: "/none" };
  const auth = { username: "you", password: "y" };
  expect(chooseAccess({ auth, ca: "PEM" }, environment)).toEqual({ auth, ca: "PEM" });
  const headers = { Authorization: "Bearer z" };
  expect(chooseAccess({ headers, ca: "PEM" }, environment)).toEqual({ headers, ca: "PEM" });
  expect(chooseAccess({ ca: "PEM" }, environment)).toEqual({
    auth: { username: "me", password: "x" },
    ca: "PEM",
  });
});

// An index that changes while it is searched. One process writes and any number read; each reader sees whole commits only.
import { Sluice } from "sluice";

const writer = await Sluice.open("./live-index", { overwrite: true, encoder: "none" }); // words alone
await writer.add([
  { id: "1", text: "the gate is open" },
  { id: "2", text: "the gate is shut" },
]);
await writer.commit();

const reader = await Sluice.open("./live-index", { readOnly: true });
const found = async () =>
  (await reader.search("gate")).hits
    .map(({ id }) => id)
    .sort()
    .join(" ");
console.log("at first:", await found());

await writer.upsert([
  { id: "2", text: "the weir is shut" },
  { id: "3", text: "a new gate" },
]);
await writer.delete(["1"]);
console.log("not committed:", await found());

await writer.commit();
console.log("committed, not refreshed:", await found());

await reader.refresh();
console.log("refreshed:", await found());

await reader.close();
await writer.close();

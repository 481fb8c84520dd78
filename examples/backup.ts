// A backup is a checked copy of one commit, made while others read and write. It is an index, too.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sluice } from "sluice";

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const [home, backup, restored] = ["index", "backup", "restored"].map((name) => join(folder, name));

const index = await Sluice.open(home, { encoder: "none" });
await index.add([{ id: "lock", text: "A lock raises and lowers boats" }]);
await index.commit();
await index.backup(backup);

await index.delete(["lock"]); // a mistake, and it is committed
await index.commit();
console.log(`now: ${index.docs} documents`);
await index.close();

await Sluice.restore(backup, restored);
const again = await Sluice.open(restored, { readOnly: true });
console.log(`restored: ${again.docs} document,`, (await again.search("boats")).hits[0].id);
await again.close();

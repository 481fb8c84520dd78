// A Parquet file → one document per row, streamed. Needs hyparquet, and hyparquet-writer to make the file of this example.
import { parquetWriteFile } from "hyparquet-writer";
import { Sluice } from "sluice";
import { readFiles } from "sluice/read";

parquetWriteFile({
  filename: "canals.parquet", // you already have such a file
  columnData: [
    { name: "key", data: ["suez", "panama", "kiel"], type: "STRING" },
    {
      name: "abstract",
      data: ["a canal without locks", "a canal with many locks", "a canal"],
      type: "STRING",
    },
    { name: "year", data: [1869, 1914, 1895], type: "INT32" },
  ],
});

const index = await Sluice.open("./canals", { overwrite: true });
await index.add(readFiles("canals.parquet", { id: "key", text: "abstract" }));
await index.commit();
const { hits } = await index.search("locks", { filter: { year: { gt: 1900 } } });
for (const { id, document } of hits) console.log(id, document.year, document.text);
await index.close();

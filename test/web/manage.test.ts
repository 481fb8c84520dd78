// Indexes by hand: create one by dropping a file, watch it being indexed, search, open, filter and ask why; then optimize, back
// up and delete it. With a key that may read, one that may write, and without keys.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { barriers, DARK, noBrowser, PHONE, picture, Visitor, violations } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`managing indexes in the page is not tested: ${noBrowser}`);

const SOON = { timeout: 30_000 };
const READ = "a-key-that-may-read-and-no-more";
const ADMIN = "a-key-that-may-do-everything";

const CSV = [
  "id,title,text,kind",
  "lock,Lock,A lock lifts boats between two levels of a canal,work",
  "weir,Weir,A weir holds water back,work",
  'barge,Barge,"A barge is a boat, pulled along a canal",boat',
].join("\n");
/** So many documents that progress is reported. */
const LINES = Array.from({ length: 4000 }, (_, i) =>
  JSON.stringify({ id: `${i}`, text: `lock ${i} of canal ${i % 97}` }),
);

/** Drops a file on a part of the page, as a person does with the mouse. */
async function dropFile(page: Page, on: string, name: string, text: string): Promise<void> {
  await page.locator(on).first().waitFor();
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    const zone = document.querySelector(${JSON.stringify(on)});
    for (const kind of ["dragover", "drop"]) zone.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }`);
}

/** Keeps everything that jobs say, because progress goes by quickly. */
const watchJobs = (page: Page) =>
  page.evaluate(`{
    window.said = [];
    new MutationObserver(() => {
      for (const job of document.querySelectorAll(".job")) window.said.push(job.innerText);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  }`);

const enter = async (page: Page, key: string) => {
  await page.getByRole("textbox", { name: "Key" }).fill(key);
  await page.keyboard.press("Enter");
};

describe.skipIf(noBrowser)("indexes by hand", () => {
  let visitor: Visitor | undefined;
  let folder: string;
  const visit = async (options = {}) => {
    folder = mkdtempSync(join(tmpdir(), "sluice-manage-"));
    visitor = await Visitor.to({}, { folder, ...options });
    return visitor;
  };
  afterEach(async () => {
    await visitor?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("from a dropped file to a deleted index, with keys", async () => {
    const { page, complaints } = await (await visit({ keys: { read: [READ], admin: [ADMIN] } })).open("/");
    await expect.poll(() => page.evaluate("document.activeElement.type"), SOON).toBe("password");
    expect(await barriers(page)).toEqual([]);
    await enter(page, READ);
    // A key that may read is offered nothing else.
    await page.getByText("Your key may read.").waitFor(SOON);
    expect(await page.locator(".new-index").count()).toBe(0);
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByRole("heading", { name: "This server needs a key" }).waitFor();
    await enter(page, ADMIN);
    // A file that is dropped beside the frame does not take the page away.
    const isLeft = `["dragover", "drop"].map((kind) =>
      document.querySelector("h1").dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true })))`;
    expect(await page.evaluate(isLeft)).toEqual([false, false]);
    // A server without indexes offers to create one.
    await dropFile(page, ".new-index .drop", "Canals.csv", CSV);
    expect(await page.getByLabel("Name").inputValue()).toBe("Canals");
    // The key ends while the form is filled in: the form stays, and the request is sent again.
    const refusal = { error: { code: "not_admin", message: "this takes an admin key" } };
    await page.route("**/v1/indexes/Canals", (route) => route.fulfill({ status: 403, json: refusal }), {
      times: 1,
    });
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "This needs an admin key" }).waitFor();
    await picture(page, "write-key");
    await enter(page, ADMIN);
    await page.getByText("Canals.csv: 3 documents added").waitFor(SOON);

    await watchJobs(page);
    await dropFile(page, ".card .drop", "many.jsonl", LINES.join("\n"));
    await page.getByText("many.jsonl: 4,000 documents added").waitFor(SOON);
    const said = (await page.evaluate("window.said")) as string[];
    expect(said.some((text) => /^Adding many.jsonl …/.test(text))).toBe(true);
    expect(said.some((text) => /(reading documents|encoding texts|building rows): [\d,]+/.test(text))).toBe(
      true,
    );
    await picture(page, "indexes-added");
    expect(await barriers(page)).toEqual([]);

    await page.getByRole("link", { name: "Search it" }).click();
    await page.locator("#query").fill("barge");
    await page.locator('[data-hit="barge"]').click();
    await page.getByRole("dialog").getByRole("heading", { name: "Barge" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("checkbox", { name: "work" }).check();
    await expect.poll(() => page.locator('[data-hit="barge"]').count(), SOON).toBe(0);
    await page.getByRole("checkbox", { name: "work" }).uncheck();
    await page.locator('li:has([data-hit="barge"])').getByRole("link", { name: "Why this result" }).click();
    await page.getByRole("dialog").locator("tfoot").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Indexes" }).click();
    await page.getByRole("button", { name: "Optimize" }).click();
    await page.getByText("Optimized in").waitFor(SOON);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download a backup" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^Canals-\d+\.tar$/);
    expect(statSync(await file.path()).size).toBeGreaterThan(10_000);
    await page.getByText("The backup has").waitFor(SOON);

    await page.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.textContent"), SOON).toBe("Keep it");
    await picture(page, "delete");
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel"), SOON).toBe("Delete Canals");
    await page.getByLabel("Name").fill("Canals");
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".new-index .failure").waitFor(SOON);
    await page.getByLabel("Name").fill("Canals2");
    await expect.poll(() => page.locator(".new-index .failure").count(), SOON).toBe(0);
    await page.getByRole("button", { name: "Delete Canals" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByRole("status").getByText("Canals is deleted.").waitFor(SOON);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Canals is deleted.");
    expect(await page.getByRole("link", { name: "Metrics" }).count()).toBe(0); // it would be refused
    await expect.poll(() => page.locator("section.card").count(), SOON).toBe(0);
    expect(await Sluice.exists(join(folder, "Canals"))).toBe(false);
    expect(await violations(page)).toEqual([]);
    // The browser says that keys were refused, as it should.
    expect(complaints.filter((text) => !/status of 40[139]/.test(text))).toEqual([]);
  });

  test("files wait in a queue, uploads go on in other views, and leaving the page is asked about", async () => {
    const { page, complaints } = await (await visit()).open("/indexes");
    // Uploads are held back until they are released, one by one.
    const uploads: { file: string | null; release: () => void }[] = [];
    await page.route("**/upload?**", async (route) => {
      const file = new URL(route.request().url()).searchParams.get("file");
      await new Promise<void>((release) => uploads.push({ file, release }));
      await route.continue().catch(() => {}); // it was stopped
    });
    const sent = () => uploads.map(({ file }) => file);
    await dropFile(page, ".new-index .drop", "canals.csv", CSV);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Adding canals.csv …").waitFor(SOON);
    await dropFile(page, ".card .drop", "second.txt", "A weir.");
    await dropFile(page, ".card .drop", "third.txt", "A mill.");
    await page.getByText("second.txt and third.txt wait.").waitFor(SOON);
    expect(sent()).toEqual(["canals.csv"]);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "uploads-wait");
    // Another view: the upload goes on.
    await page.getByRole("link", { name: "API" }).click();
    await page.getByRole("link", { name: "Adding canals.csv to canals" }).waitFor(SOON);
    await page.getByText("2 files more").waitFor();
    expect(await barriers(page)).toEqual([]);
    await picture(page, "uploads-elsewhere");
    uploads[0].release();
    await page.getByRole("link", { name: "Adding second.txt to canals" }).waitFor(SOON);
    // The browser asks before it leaves the page, and stays.
    page.once("dialog", (dialog) => {
      expect(dialog.type()).toBe("beforeunload");
    });
    await page.goto(`${visitor!.url}/docs`).catch(() => {});
    await page.getByRole("link", { name: "Adding second.txt to canals" }).click();
    await page.getByText("canals.csv: 3 documents added").waitFor(SOON);
    // What was stopped is said, and what waited is not sent.
    await page.getByRole("button", { name: "Stop: Adding second.txt" }).click();
    await page.getByText("second.txt: stopped.").waitFor(SOON);
    expect(await page.locator(".card progress").count()).toBe(0);
    await dropFile(page, ".card .drop", "last.txt", "A gate.");
    await page.getByRole("link", { name: "API" }).click();
    await expect.poll(sent, SOON).toEqual(["canals.csv", "second.txt", "last.txt"]);
    uploads[2].release();
    await page.getByText("last.txt: 1 document added").waitFor(SOON);
    // Nothing is under way, so nothing is asked.
    await page.goto(`${visitor!.url}/indexes`);
    expect(complaints.filter((text) => !/^a dialog|ERR_/.test(text))).toEqual([]);
    expect(complaints.filter((text) => text.startsWith("a dialog"))).toHaveLength(1);
  });

  test("a table of which the server cannot tell the columns is added with what a person says of them", async () => {
    const { page, complaints } = await (await visit()).open("/indexes", PHONE);
    await page.getByLabel("Name").fill("stock");
    await page.getByRole("button", { name: "Create" }).tap();
    await page.getByText("No documents yet").waitFor(SOON);
    const semicolons = [
      "Nr;Name;Preis;Beschreibung",
      '7;Schieber;12,5;"Ein Schieber; er schließt ein Rohr"',
      "8;Wehr;90;Ein Wehr staut Wasser",
    ].join("\r\n");
    const file = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });
    const files = page.locator(".card input[type=file]").first();
    const commas = "name,about,code\nLock,It lifts boats,\nWeir,It holds water back,2\n";
    await files.setInputFiles([file("lager.csv", semicolons), file("works.csv", commas)]);
    const choices = page.getByRole("form", { name: "What lager.csv has" });
    await choices.waitFor(SOON);
    await page.getByText('if fields are separated by ";", say so with “Delimiter” below').waitFor(SOON);
    const chosen = () =>
      choices.locator("select").evaluateAll((all) => all.map((one) => (one as { value: string }).value));
    expect(await chosen()).toEqual([";", "Nr", "", "Beschreibung"]);
    await choices.getByLabel("Title").selectOption("Name");
    await page.getByText('there are: "name", "about", "code"').waitFor(SOON);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "csv-choices-phone");
    await page.setViewportSize({ width: 1200, height: 900 });
    await picture(page, "csv-choices");
    await page.getByRole("button", { name: "Add lager.csv with these columns" }).tap();
    await page.getByText("lager.csv: 2 documents added").waitFor(SOON);
    // The other file, which has no id, is still there to be mended. What is said wrong is asked again.
    const others = page.getByRole("form", { name: "What works.csv has" });
    await others.getByLabel("Id").selectOption("code");
    await page.getByRole("button", { name: "Add works.csv with these columns" }).tap();
    await page.getByText('works.csv:2: no "code"').waitFor(SOON);
    expect(await others.getByLabel("Id").inputValue()).toBe("code");
    await others.getByLabel("Id").selectOption("name");
    await page.getByRole("button", { name: "Add works.csv with these columns" }).tap();
    await page.getByText("works.csv: 2 documents added").waitFor(SOON);
    expect(await page.locator(".csv-choices").count()).toBe(0);
    await page.getByRole("link", { name: "Search it" }).tap();
    await page.locator("#query").fill("Schieber");
    await page.locator('[data-hit="7"]').waitFor(SOON);
    expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  test("an index that is dropped elsewhere has an error, and no count beside it, also for screen readers", async () => {
    const { page } = await (await visit()).open("/");
    const put = (path: string, body: object) =>
      fetch(`${visitor!.url}/v1/indexes/${path}`, {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    await put("gone", { encoder: "none" });
    await put("gone/documents", { documents: [{ id: "a", text: "A lock lifts boats" }] });
    await page.goto(`${visitor!.url}/?index=gone&query=lock`);
    await page.getByRole("status").getByText("1 result").waitFor(SOON);
    await fetch(`${visitor!.url}/v1/indexes/gone`, { method: "DELETE" });
    await page.locator("#query").fill("boats");
    await page.getByText("There is no index with this name.").waitFor(SOON);
    expect(await page.locator(".status").allTextContents()).toEqual([""]);
  });

  test("without keys, on a dark phone, by touch and with a file that is wrong", async () => {
    const { page } = await (await visit()).open("/indexes", { ...PHONE, ...DARK });
    await page.getByText("There are no indexes yet: name one below").waitFor(SOON);
    await page.getByLabel("Name").fill("notes");
    await page.getByLabel("Find by").selectOption("words");
    await page.getByLabel("Language").selectOption("german");
    await page.getByLabel("Phrases").selectOption("yes");
    const asked = page.waitForRequest((request) => request.method() === "PUT");
    await page.getByRole("button", { name: "Create" }).tap();
    expect((await asked).postDataJSON()).toEqual({ encoder: "none", analyzer: "german", positions: true });
    await page.getByText("No documents yet").waitFor(SOON);
    await expect.poll(() => page.evaluate("document.activeElement.textContent"), SOON).toBe("notes");
    // The page of an empty index leads back here.
    await page.getByRole("link", { name: "Search", exact: true }).tap();
    await page.getByRole("link", { name: "Add documents" }).tap();
    await page.getByText("No documents yet").waitFor(SOON);
    const files = page.locator(".card input[type=file]").first();
    await files.setInputFiles({ name: "wrong.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
    await page.getByRole("alert").filter({ hasText: "wrong.csv" }).waitFor(SOON);
    await files.setInputFiles({
      name: "notes.md",
      mimeType: "",
      buffer: Buffer.from("# Schleusen\n\nEine Schleuse hebt Boote."),
    });
    await page.getByText("notes.md: 1 document added").waitFor(SOON);
    // Every file has a line of its own, and a failure stays.
    const file = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });
    await files.setInputFiles([
      file("one.txt", "Ein Wehr staut Wasser."),
      file("bad.json", "{"),
      file("two.txt", "Ein Kahn."),
    ]);
    await page.getByText("two.txt: 1 document added").waitFor(SOON);
    expect(await page.getByText("one.txt: 1 document added").count()).toBe(1);
    expect(await page.getByRole("alert").allTextContents()).toEqual([expect.stringMatching(/^bad\.json/)]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, "indexes-dark-phone");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Search it" }).tap();
    await page.locator("#query").fill("Schleusen");
    await page.locator("[data-hit]").first().waitFor();
    await page.locator("#query").fill("der");
    await page.getByText("The words of this query are so common that they are ignored.").waitFor(SOON);
  });
});

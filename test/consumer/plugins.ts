// Uses an index in other frameworks, which the user has installed.

import { Sluice } from "sluice";
import { createTools, searchTool } from "sluice/ai";
import { SluiceRetriever, SluiceVectorStore } from "sluice/langchain";
import * as mcp from "sluice/mcp";

const index = await Sluice.open("index", { readOnly: true });
export const tools = { search: searchTool(index, { about: "articles" }) };
export const allTools = createTools(index, { filter: { public: true } });
export const parts = [SluiceRetriever, SluiceVectorStore, mcp];

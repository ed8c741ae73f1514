import { test } from "node:test";
import { embedderContract } from "lorebase/testing";
import { tei } from "./tei.js";

const { TEI_URL: baseUrl, TEI_MODEL: model, TEI_DIMENSIONS: dimensions } = process.env;
const config = tei.config.parse({ provider: "TEI", baseUrl, model, dimensions: Number(dimensions) });
const create = () => tei.create(config, { fetch, modelsDirectory: "" });
for (const { name, run } of embedderContract(create)) test(name, run);

import { serve } from "../rpc/serve.js";
import { readSitemap } from "./parse-sitemap.js";
import { readPage } from "./read-page.js";

// The entry point of the worker thread of `PageReader`.
const operations = { page: readPage, sitemap: readSitemap };

export type PageOperations = typeof operations;

serve<PageOperations>(operations);

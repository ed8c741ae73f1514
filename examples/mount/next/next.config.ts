import type { NextConfig } from "next";

const config: NextConfig = {
  // It finds its worker threads and native modules beside its own files, which a bundle would take apart.
  serverExternalPackages: ["lorebase"],
};

export default config;

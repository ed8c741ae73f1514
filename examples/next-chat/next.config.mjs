/** @type {import("next").NextConfig} */
export default {
  // It finds its worker threads and native modules beside its own files, which a bundle would take apart.
  serverExternalPackages: ["lorebase"],
};

import { defineConfig } from "tsup";

// One output file per source file: worker threads are found beside the module that starts them,
// and what a reader finds in node_modules has the shape of the repository.
export default defineConfig({
  entry: ["src/**/*.ts"],
  bundle: false,
  format: "esm",
  target: "node20",
  platform: "node",
  dts: false,
  sourcemap: true,
  clean: true,
});

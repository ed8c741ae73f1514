// A hundred small modules, loading which takes longer than all else that importing the package does: the build makes
// one file of them.
export { type ZodType, z } from "zod";

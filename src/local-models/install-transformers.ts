/** Why an optional dependency is absent: package managers drop one in silence when its install script fails. */
export const TRANSFORMERS_ABSENT = "is not installed (optional packages were left out, or its install script failed)";

/**
 * The variable keeps onnxruntime-node's install script from downloading CUDA files, which fails behind many proxies.
 */
export const INSTALL_TRANSFORMERS = "ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers";

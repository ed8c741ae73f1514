export { blobStoreContract } from "./blob-store-contract.js";
export { assertNothingLost, chunkerContract } from "./chunker-contract.js";
export type { ContractCase } from "./contract.js";
export { embedderContract } from "./embedder-contract.js";
export { type FakeEmbedder, type FakeEmbedderOptions, fakeEmbedder } from "./fake-embedder.js";
export {
  type FakeAnswer,
  type FakeLanguageModel,
  type FakeLanguageModelOptions,
  type FakeModelCall,
  type FakePart,
  fakeLanguageModel,
} from "./fake-language-model.js";
export { type FakeReranker, type FakeRerankerOptions, fakeReranker } from "./fake-reranker.js";
export { type LanguageModelContractOptions, languageModelContract } from "./language-model-contract.js";
export { type ManualClock, manualClock } from "./manual-clock.js";
export { type MemoryVectorStore, type MemoryVectorStoreOptions, memoryVectorStore } from "./memory-vector-store.js";
export { type ParserSample, parserContract } from "./parser-contract.js";
export { rerankerContract } from "./reranker-contract.js";
export type { Step } from "./script.js";
export { type VectorStoreContractOptions, vectorStoreContract } from "./vector-store-contract.js";

export type { GoldenAnswer, GoldenQuestion } from "../resources/golden-questions.js";
export type { ConfidenceInterval } from "./bootstrap.js";
export { type EvaluateOptions, evaluate } from "./evaluate.js";
export type { EvaluatedNamespace } from "./evaluated-namespace.js";
export type {
  Comparison,
  EvaluationProgress,
  EvaluationReport,
  MeasureOptions,
  QuestionScores,
  SettingResult,
} from "./measure.js";
export type { MeasureName } from "./metrics.js";
export {
  type ClickedNamespace,
  type QuestionsFromClicksOptions,
  questionsFromClicks,
} from "./questions-from-clicks.js";
export { questionsFromFeedback, type RatedNamespace } from "./questions-from-feedback.js";
export type { EvaluationSetting } from "./settings.js";

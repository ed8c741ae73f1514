import {
  addGoldenQuestionSchema,
  generateGoldenQuestionsSchema,
  goldenQuestionsFromClicksSchema,
  goldenQuestionsFromFeedbackSchema,
  importGoldenQuestionsSchema,
  listGoldenQuestionsSchema,
  updateGoldenQuestionSchema,
} from "../../validation/golden-question-schema.js";
import {
  generatedQuestionCountsSchema,
  goldenQuestionCountsSchema,
  storedGoldenQuestionSchema,
} from "../response-schemas.js";
import { type Call, route } from "../route.js";

const QUESTIONS = "/v1/namespace/:namespaceId/golden-questions";
const QUESTION = `${QUESTIONS}/:goldenQuestionId`;
/** Reading them takes a key that may write: they show questions of others. */
const OF_TENANT = { access: "write", tenant: true } as const;
const idOf = ({ params }: Pick<Call, "params">): string => params.goldenQuestionId!;

export const goldenQuestionRoutes = [
  route({
    operationId: "listGoldenQuestions",
    summary: "List questions with known answers, by which searches are measured",
    method: "GET",
    path: QUESTIONS,
    ...OF_TENANT,
    query: listGoldenQuestionsSchema,
    response: storedGoldenQuestionSchema,
    list: true,
    run: ({ namespace, query, signal }) => namespace.goldenQuestions.list({ ...query, signal }),
  }),
  route({
    operationId: "addGoldenQuestion",
    summary: "Add a question with its answers",
    method: "POST",
    path: QUESTIONS,
    ...OF_TENANT,
    body: addGoldenQuestionSchema,
    status: 201,
    response: storedGoldenQuestionSchema,
    run: ({ namespace, body, signal }) => namespace.goldenQuestions.add(body, { signal }),
  }),
  route({
    operationId: "importGoldenQuestions",
    summary: "Add many questions, and replace those with the same ids",
    method: "POST",
    path: `${QUESTIONS}/import`,
    ...OF_TENANT,
    body: importGoldenQuestionsSchema,
    response: goldenQuestionCountsSchema,
    run: ({ namespace, body: { questions }, signal }) => namespace.goldenQuestions.import(questions, { signal }),
  }),
  route({
    operationId: "makeGoldenQuestionsFromFeedback",
    summary: "Make drafts of the questions whose answers readers rated up",
    method: "POST",
    path: `${QUESTIONS}/from-feedback`,
    ...OF_TENANT,
    body: goldenQuestionsFromFeedbackSchema,
    response: goldenQuestionCountsSchema,
    run: ({ namespace, body, signal }) => namespace.goldenQuestions.fromFeedback({ ...body, signal }),
  }),
  route({
    operationId: "makeGoldenQuestionsFromClicks",
    summary: "Make drafts of the clicks that were reported",
    method: "POST",
    path: `${QUESTIONS}/from-clicks`,
    ...OF_TENANT,
    body: goldenQuestionsFromClicksSchema,
    response: goldenQuestionCountsSchema,
    run: ({ namespace, body, signal }) => namespace.goldenQuestions.fromClicks({ ...body, signal }),
  }),
  route({
    operationId: "generateGoldenQuestions",
    summary: "Make drafts of documents: of headings and definitions, or by the language model",
    method: "POST",
    path: `${QUESTIONS}/generate`,
    ...OF_TENANT,
    body: generateGoldenQuestionsSchema,
    response: generatedQuestionCountsSchema,
    run: ({ namespace, body, signal }) => namespace.goldenQuestions.generate({ ...body, signal }),
  }),
  route({
    operationId: "getGoldenQuestion",
    summary: "Read a golden question",
    method: "GET",
    path: QUESTION,
    ...OF_TENANT,
    response: storedGoldenQuestionSchema,
    run: (call) => call.namespace.goldenQuestions.get(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "updateGoldenQuestion",
    summary: "Change a golden question, its answers or its status",
    method: "PATCH",
    path: QUESTION,
    ...OF_TENANT,
    body: updateGoldenQuestionSchema,
    response: storedGoldenQuestionSchema,
    run: (call) => call.namespace.goldenQuestions.update(idOf(call), call.body, { signal: call.signal }),
  }),
  route({
    operationId: "deleteGoldenQuestion",
    summary: "Delete a golden question",
    method: "DELETE",
    path: QUESTION,
    ...OF_TENANT,
    response: storedGoldenQuestionSchema,
    run: (call) => call.namespace.goldenQuestions.delete(idOf(call), { signal: call.signal }),
  }),
];

/** A kind of English question whose answers have a recognizable form. */
interface AnswerType {
  readonly questionPattern: RegExp;
  readonly answerPattern: RegExp;
}

/** The words after "how" in a question for a measure, which rarely occur in its answer. */
const MEASURE_WORDS = "many|much|long|far|high|often|old|big|large|deep|heavy|fast|soon|quickly|wide|tall|late|early";

const ANSWER_TYPES: readonly AnswerType[] = [
  {
    questionPattern: new RegExp(
      `\\bhow (?:${MEASURE_WORDS})\\b|\\b(?:what|which) (?:time|year|date|day|month|price|percentage|number|age|size|speed|weight|height|distance|temperature|amount)\\b`,
      "i",
    ),
    answerPattern:
      /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|once|twice|dozen|hundred|thousand|half)\b/i,
  },
  {
    questionPattern:
      /\bwhen\b|\buntil\b|\b(?:what|which) (?:time|year|date|day|month|century)\b|\bhow (?:long|often|soon|quickly)\b/i,
    answerPattern:
      /\b(?:1\d|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|dawn|sunrise|morning|noon|evening|sunset|night|midnight|minutes?|hours?|days?|weeks?|months?|years?|century|daily|weekly|monthly|yearly|before|after|during|until|when|o['’]clock)\b/i,
  },
  {
    questionPattern: /\bwhere\b/i,
    answerPattern: /\b(?:in|at|on|near|from|to|into|inside|under|behind|beside|between|via|by) (?:the )?\p{L}/iu,
  },
];

const YES_NO_QUESTION_PATTERN =
  /^(?:and |or |but )?(?:is|are|am|was|were|do|does|did|has|have|can|could|may|must|need|should|will|would)\b/i;
const DECISION_PATTERN =
  /\b(?:not|no|never|only|must|may|can|cannot|can['’]t|don['’]t|allowed|welcome|please|need|except|unless)\b/i;
const HOW_MEASURE_PATTERN = new RegExp(`\\b(how) (?:${MEASURE_WORDS})\\b`, "gi");

/** Returns whether a question asks for a number, a time or a place that a sentence doesn't contain. */
export function lacksAnswerType(question: string, sentence: string): boolean {
  return ANSWER_TYPES.some(
    ({ questionPattern, answerPattern }) => questionPattern.test(question) && !answerPattern.test(sentence),
  );
}

/** Returns whether a question can be answered with yes or no, and a sentence permits, forbids or denies something. */
export function decidesQuestion(question: string, sentence: string): boolean {
  return YES_NO_QUESTION_PATTERN.test(question) && DECISION_PATTERN.test(sentence);
}

/** Removes the "many" or "long" after "how". */
export function removeMeasureWords(question: string): string {
  return question.replace(HOW_MEASURE_PATTERN, "$1");
}

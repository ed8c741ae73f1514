/** An English question that asks for something with a recognizable form, and that form. */
interface AnswerType {
  readonly asks: RegExp;
  readonly answers: RegExp;
}

/** What follows "how" in a question for a number. It says less about the answer's words than other words do. */
const MEASURE = "many|much|long|far|high|often|old|big|large|deep|heavy|fast|soon|quickly|wide|tall|late|early";

const TYPES: readonly AnswerType[] = [
  {
    asks: new RegExp(
      `\\bhow (?:${MEASURE})\\b|\\b(?:what|which) (?:time|year|date|day|month|price|percentage|number|age|size|speed|weight|height|distance|temperature|amount)\\b`,
      "i",
    ),
    answers:
      /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|once|twice|dozen|hundred|thousand|half)\b/i,
  },
  {
    asks: /\bwhen\b|\buntil\b|\b(?:what|which) (?:time|year|date|day|month|century)\b|\bhow (?:long|often|soon|quickly)\b/i,
    answers:
      /\b(?:1\d|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|dawn|sunrise|morning|noon|evening|sunset|night|midnight|minutes?|hours?|days?|weeks?|months?|years?|century|daily|weekly|monthly|yearly|before|after|during|until|when|o['’]clock)\b/i,
  },
  {
    asks: /\bwhere\b/i,
    answers: /\b(?:in|at|on|near|from|to|into|inside|under|behind|beside|between|via|by) (?:the )?\p{L}/iu,
  },
];

const ASKS_YES_NO =
  /^(?:and |or |but )?(?:is|are|am|was|were|do|does|did|has|have|can|could|may|must|need|should|will|would)\b/i;
const PERMITS_OR_FORBIDS =
  /\b(?:not|no|never|only|must|may|can|cannot|can['’]t|don['’]t|allowed|welcome|please|need|except|unless)\b/i;
const HOW_MEASURE = new RegExp(`\\b(how) (?:${MEASURE})\\b`, "gi");

/** Whether a question asks for a number, a time or a place, and a sentence has none. */
export function lacksAnswerType(question: string, sentence: string): boolean {
  return TYPES.some(({ asks, answers }) => asks.test(question) && !answers.test(sentence));
}

/** Whether a question can be answered with yes or no, and a sentence permits, forbids or denies. */
export function decidesQuestion(question: string, sentence: string): boolean {
  return ASKS_YES_NO.test(question) && PERMITS_OR_FORBIDS.test(sentence);
}

/** "how" without the "many" or "long" after it. */
export function withoutMeasures(question: string): string {
  return question.replace(HOW_MEASURE, "$1");
}

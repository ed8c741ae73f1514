/** What an English question can ask for, if its answers have a recognizable form. */
export type AnswerType =
  | "money"
  | "duration"
  | "time"
  | "measure"
  | "person"
  | "place"
  | "reason"
  | "frequency"
  | "decision"
  | "contact"
  | "fraction"
  | "age";

/** The patterns of answers look ahead for a limited distance, so that no sentence takes quadratic time. */
interface TypePatterns {
  readonly question: RegExp;
  readonly answer: RegExp;
}

const NUMBER_WORDS =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half";
const NUMBER = `(?:\\d[\\d.,]{0,20}|an?|${NUMBER_WORDS})`;
const SPAN = "(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies))";
const UNIT =
  "(?:degrees?|per cent|percent|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|yards?|feet|foot|inch(?:es)?|tonnes?|tons?|kilos?|kilograms?|grams?|lit(?:er|re)s?|watts?|volts?|bars?|knots?|decibels?|characters?|words?|pages?|(?:square|cubic|nautical) \\p{L}+|acres?|hectares?|bytes?|parts?)";
const UNIT_SYMBOL = "(?:°|%|mm|cm|m|km|kg|g|mg|ml|l|db|w|v|bar|mb|gb|kb|tb|hz|mph|ft|lb)";
const CALENDAR =
  "january|february|march|april|may|june|july|august|september|october|november|december|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends?|weekdays?|spring|summer|autumn|winter|dawn|sunrise|morning|noon|evening|sunset|night|midnight";
const ROLES =
  "manager|director|officer|doctor|teacher|engineer|owner|founder|chairman|president|secretary|nurse|warden|keeper|skipper|janitor|landlord|tenant|driver|lead|department|team|clerk|staff|people|everyone|everybody|nobody|anyone|adults|children|members?";
const AUXILIARIES = "is|are|am|was|were|do|does|did|has|have|can|could|may|must|need|should|will|would";
const LENGTH_OF_THING = "is (?:the )?(?:tunnel|line|cable|bridge|boat|road|path)";

const PATTERNS: Readonly<Record<AnswerType, TypePatterns>> = {
  money: {
    question:
      /\bhow much (?:is|are|was|were|do|does|did|will|would|can|may|must|should|money|to|it|extra|for)\b(?!.*\b(?:water|weigh|weight|salt|time|coal|sugar)\b)|\b(?:price|costs?|fees?|charges?|fare|premium|salary|rent|bonus|penalty|fine|deposit|allowance|rate|expense)\b|\bhow (?:expensive|cheap)\b/i,
    answer:
      /[£$€¥]\s?\d|\d\s?(?:[£$€¥]|eur|usd|gbp|chf)\b|\b(?:euros?|dollars?|pounds?|pence|cents?|francs?)\b|\b(?:for )?free\b|\bno (?:fee|charge)\b/i,
  },
  duration: {
    question: new RegExp(
      `\\bhow (?:long|quickly|soon|fast)\\b(?! ${LENGTH_OF_THING})|\\bhow many (?:seconds|minutes|hours|days|weeks|months|years|nights)\\b|\\bnotice period\\b|\\b(?:for|within) what (?:time|period)\\b`,
      "i",
    ),
    answer: new RegExp(
      `\\b${NUMBER}(?:[ -](?:and a half|to ${NUMBER}|or ${NUMBER}|more|working|whole))?[ -]${SPAN}\\b|\\b(?:never expires?|indefinite|for ever|forever|fortnight)\\b`,
      "i",
    ),
  },
  time: {
    question:
      /\bwhen\b|\buntil\b|\b(?:what|which) (?:time|year|date|day|weekday|month|century|night)\b|\bwhat are the .*\bhours\b|\b(?:opening|core|quiet) (?:hours|times)\b/i,
    answer: new RegExp(
      `\\b(?:1\\d|20)\\d\\d\\b|\\bin \\d{3}\\b|\\b\\d{1,2}[:.]\\d\\d\\b|\\b\\d{1,2}\\s?(?:am|pm|o['’]clock)\\b|\\b(?:${CALENDAR}|${SPAN}|daily|weekly|monthly|yearly|before|after|during|until|when|once|as soon as|at the end)\\b`,
      "i",
    ),
  },
  measure: {
    question: new RegExp(
      `\\bhow (?:far|high|big|large|deep|heavy|hot|cold|warm|wide|tall|loud|thick|fast|steep|strong|close)\\b|\\bhow long ${LENGTH_OF_THING}\\b|\\b(?:weigh|weight|height|width|depth|distance|temperature|size|speed|consumption|capacity|volume|maximum length|concentration|pressure|voltage)\\b|\\bhow much (?:water|salt|coal|sugar|power|space)\\b`,
      "i",
    ),
    answer: new RegExp(
      `\\d\\s?${UNIT_SYMBOL}(?!\\p{L})|\\b(?:\\d[\\d.,]{0,20}|${NUMBER_WORDS}) (?:a )?(?:\\p{L}{1,30} )?${UNIT}(?!\\p{L})`,
      "iu",
    ),
  },
  person: {
    question:
      /\bwho(?:m|se)?\b(?! (?:is|are) (?:allowed|entitled|eligible))|\bwhich (?:person|doctor|engineer|author)\b|\bname of the\b/i,
    answer: new RegExp(
      `(?<=[\\p{Ll}\\p{N},;:–-] )(?:\\p{Lu}[\\p{Ll}’'-]{1,30} ){1,2}\\p{Lu}[\\p{Ll}’'-]{1,30}|\\b(?:Mr|Mrs|Ms|Dr|Prof)\\.? \\p{Lu}|\\b(?:${ROLES})\\b`,
      "u",
    ),
  },
  place: {
    question: /\bwhere\b|\b(?:what|which) (?:place|room|building|city|town|country|street|side|floor)\b/i,
    answer:
      /\b(?:in|at|on|near|from|to|into|inside|under|behind|beside|between|via|by|above|below|beneath|outside|opposite|off) (?:(?:the|an?|our|your|its|their|each|both) )?\p{L}/iu,
  },
  reason: {
    question: /\bwhy\b|\bwhat (?:is|was) the reason\b|\bhow come\b/i,
    answer:
      /\b(?:because|since|so that|in order to|due to|owing to|as|otherwise|or else|to (?:prevent|avoid|protect|keep|make|reduce|save|help)|therefore|that is why|reason|means that|if|for fear|which)\b/i,
  },
  frequency: {
    question: /\bhow (?:often|frequently|regularly|many times)\b/i,
    answer: new RegExp(
      `\\b(?:every|each|per|once|twice|daily|weekly|monthly|yearly|annually|quarterly|hourly|always|never|regularly)\\b|\\b${NUMBER} times\\b|\\ba (?:day|week|month|year)\\b`,
      "i",
    ),
  },
  decision: {
    question: new RegExp(`^(?:and |or |but )?(?:${AUXILIARIES})\\b`, "i"),
    answer:
      /\b(?:not|no|never|none|nobody|only|must|may|can|cannot|can['’]t|don['’]t|doesn['’]t|isn['’]t|allowed|permitted|forbidden|prohibited|welcome|required|compulsory|mandatory|optional|possible|free|please|needs?|except|unless|too|also|without)\b/i,
  },
  contact: {
    question: /\b(?:phone|telephone|fax|call sign|e-?mail|address(?:es)?|hotline|channel|website|url|ip)\b/i,
    answer:
      /\b\d{3,}[ -]\d{2,}|\b0\d{2,}|\+\d{2}|\S@\S{1,80}\.\p{L}|https?:|www\.|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d|\b(?:channel|hotline|extension|call sign|room) \p{L}*\d/iu,
  },
  fraction: {
    question: /\b(?:what|which) (?:percentage|share|proportion|part)\b|\bhow much of\b|\bdiscount\b/i,
    answer: /\d\s?%|\bper ?cent\b|\b(?:half|quarter|thirds?|fifths?)\b/i,
  },
  age: {
    question: /\bhow old\b|\b(?:what|which) age\b|\bage limit\b/i,
    answer: new RegExp(
      `\\b(?:age|aged|under|over|from|at|than|old)\\b.{0,40}\\b${NUMBER}\\b|\\b${NUMBER}[ -](?:years?|months?|weeks?)\\b`,
      "i",
    ),
  },
};

export const ANSWER_TYPES = Object.keys(PATTERNS) as readonly AnswerType[];

/** The words after "how" in a question for a measure, which rarely occur in its answer. */
const HOW_MEASURE_PATTERN =
  /\b(how) (?:many|much|long|far|high|often|old|big|large|deep|heavy|fast|soon|quickly|wide|tall|late|early)\b/gi;

/** Returns what a question asks for; nothing if it isn't English. */
export function typesAskedFor(question: string): readonly AnswerType[] {
  return ANSWER_TYPES.filter((type) => PATTERNS[type].question.test(question));
}

/** Returns whether a sentence has the form of answers of a type, such as an amount of money. */
export function hasAnswerType(sentence: string, type: AnswerType): boolean {
  return PATTERNS[type].answer.test(sentence);
}

/** Removes the "many" or "long" after "how". */
export function removeMeasureWords(question: string): string {
  return question.replace(HOW_MEASURE_PATTERN, "$1");
}

/** A question about the documents in `examples/data`. */
export interface AnswerQuestion {
  readonly question: string;
  /** Parts of the sentences that answer it, any of which may be cited first; none if no sentence does. */
  readonly answers: readonly string[];
}

/** Twenty questions with one answer, ten with answers in two places, and ten without one. Weights were tried on them. */
export const TUNING_QUESTIONS: readonly AnswerQuestion[] = [
  { question: "How many steps lead up to the gallery?", answers: ["There are 167 steps to the gallery."] },
  { question: "Who was the engineer that built the tower?", answers: ["by the engineer Josiah Thrale"] },
  { question: "How long does the crossing take?", answers: ["The crossing takes 35 minutes with the tide"] },
  {
    question: "Where do we gather if there is a fire on the island?",
    answers: ["The assembly point is the sundial on the south lawn."],
  },
  {
    question: "What does it cost to hire the Annet Star privately?",
    answers: ["A private charter of the Annet Star costs £780"],
  },
  { question: "How much water fits into the tank?", answers: ["The tank holds 18,000 litres."] },
  {
    question: "When do quiet hours begin and end?",
    answers: ["Quiet hours in the cottages are from ten at night until six in the morning."],
  },
  {
    question: "How far away can the light be seen in clear weather?",
    answers: ["In clear weather the light can be seen for 21 nautical miles."],
  },
  { question: "What is the radio call sign of the Annet Star?", answers: ["Her radio call sign is 2KXR."] },
  { question: "How much do we get back per mile when we travel by car?", answers: ["by car at 38 pence a mile"] },
  { question: "Can I bring a drone?", answers: ["Drones need a letter from the trustees"] },
  { question: "When does the Day Trip leave Port Annet?", answers: ["The Day Trip leaves Port Annet at 10:15"] },
  { question: "May a gift voucher be exchanged for money?", answers: ["It cannot be turned into money."] },
  { question: "Are wheelchairs taken ashore?", answers: ["We cannot take wheelchairs ashore."] },
  {
    question: "Who was the last keeper of the light?",
    answers: ["The last keeper, Tom Ferris, left on 30 September 1994"],
  },
  { question: "How long was the longest stranding?", answers: ["The longest stranding so far lasted 61 hours"] },
  {
    question: "When is the siren's trumpet sounded?",
    answers: ["sounds once a year, at noon on the day of the patronal fair"],
  },
  {
    question: "At what battery level should the generator be started?",
    answers: ["Start the generator when the battery falls below 60 per cent"],
  },
  {
    question: "How many guests may attend a wedding in the lamp room?",
    answers: ["Weddings are held in the lamp room four times a season, for at most ten guests"],
  },
  {
    question: "Why must cement not be used on the granite?",
    answers: ["Cement, which was tried in 1974, traps water and splits the stone."],
  },
  {
    question: "How many passengers is the Annet Star licensed for, and how many places are sold?",
    answers: ["which is licensed for 36 passengers", "We sell 32 places", "She carries 36 passengers"],
  },
  {
    question: "On which VHF channel is the coastguard called, and which one does the boat use to reach the island?",
    answers: [
      "Call the coastguard on VHF channel 16.",
      "| Boat to island | 77 |",
      "| Distress and calling | 16 |",
      "call the coastguard on channel 16",
    ],
  },
  {
    question: "When is the lamp lit in the evening, and until when does the light burn?",
    answers: [
      "The lamp is lit from thirty minutes before sunset",
      "The light is exhibited from thirty minutes before sunset until thirty minutes after sunrise",
    ],
  },
  {
    question: "At what wind is the gallery closed to visitors, and at what wind do crossings stop?",
    answers: [
      "none while the wind at the gallery is above 28 knots",
      "Crossings stop when the mean wind is above 22 knots",
    ],
  },
  {
    question: "Are dogs allowed on the boat and on the island?",
    answers: [
      "Dogs stay on the boat all year, except assistance dogs.",
      "Assistance dogs are welcome on the boat and on the island",
    ],
  },
  {
    question: "When are puffins on the island, and when is the cove path closed for them?",
    answers: [
      "Puffins nest in the turf above North Cove from late April to the end of July.",
      "Very likely between the first of May and the twentieth of July.",
      "In those weeks the cove path is closed",
    ],
  },
  {
    question: "How often is the oil of the optic checked and when is it changed?",
    answers: [
      "The oil in the trough is sampled every fourteen days and changed every six years",
      "| Optic oil bath | Every 14 days |",
    ],
  },
  {
    question: "Where do stranded visitors sleep, and where do volunteers sleep?",
    answers: ["The warden then opens the East Cottage, which has 24 bunks", "You sleep in the West Cottage"],
  },
  {
    question: "How high is the tower and how many steps has it?",
    answers: ["It is 41 metres high", "There are 167 steps to the gallery."],
  },
  {
    question: "Is a ticket refunded if the boat is cancelled, and if visitors have to stay for the night?",
    answers: [
      "every ticket, the family ticket included, is refunded in full",
      "the day’s ticket is refunded as if the boat had been cancelled",
    ],
  },
  { question: "What is the salary of the warden?", answers: [] },
  { question: "Who designed the logo of the Trust?", answers: [] },
  { question: "How many seals live around the island?", answers: [] },
  { question: "Which hotel in Port Annet is recommended?", answers: [] },
  { question: "What is the password of the wireless network?", answers: [] },
  { question: "When was the harbour of Port Annet dredged?", answers: [] },
  { question: "How do I apply for a job as a teacher?", answers: [] },
  { question: "What vaccinations do volunteers need?", answers: [] },
  { question: "Who is the prime minister?", answers: [] },
  { question: "Does the Trust own a helicopter?", answers: [] },
];

/** As many of each kind, written before the first run on them. Nothing is chosen by them. */
export const TEST_QUESTIONS: readonly AnswerQuestion[] = [
  { question: "What is the deposit for groups?", answers: ["pay a deposit of one quarter"] },
  { question: "How large is the island?", answers: ["an island of eleven hectares"] },
  { question: "When does check-in close?", answers: ["Check-in closes twenty minutes before departure."] },
  {
    question: "Which certificate must one of the four volunteers hold?",
    answers: ["one of them holds a first-aid certificate"],
  },
  {
    question: "How heavy may a load on the derrick be?",
    answers: ["A lift with the derrick carries at most 250 kilograms"],
  },
  {
    question: "Since when has the island been without rats?",
    answers: ["the island has been free of rats since 2011"],
  },
  { question: "How often does the optic turn?", answers: ["A motor of 90 watts turns it once in thirty seconds"] },
  {
    question: "What happens when the diode lamp fails?",
    answers: ["If the diode lamp fails, a changer swings the spare into focus"],
  },
  {
    question: "Where is the second first-aid bag?",
    answers: ["A second bag hangs behind the door of the West Cottage."],
  },
  { question: "Is there food for sale on the island?", answers: ["No food is sold on the island."] },
  { question: "Who answers complaints of volunteers?", answers: ["the volunteers’ trustee, Ines Calloway"] },
  {
    question: "How fast is the stream in the sound at spring tides?",
    answers: ["At springs the stream runs through the sound at 3.4 knots"],
  },
  { question: "What does a volunteer need to pack?", answers: ["Bring boots with a real sole, a head torch"] },
  {
    question: "How many nights does the lamp run without sun?",
    answers: ["On a full charge the lamp runs for nine nights without sun."],
  },
  {
    question: "When was the Annet Star built?",
    answers: [
      "The Annet Star is a steel launch of 14.2 metres, built in 2009",
      "is a steel launch of 14.2 metres, built in 2009",
    ],
  },
  {
    question: "How long did Edda Marrow turn the optic by hand?",
    answers: ["she turned the optic by hand for eleven hours"],
  },
  { question: "What do the prisms get washed with?", answers: ["with rainwater and a linen cloth"] },
  {
    question: "How much money has been raised for the glazing bars?",
    answers: ["by the end of last season it had £41,500"],
  },
  {
    question: "By when must receipts be sent?",
    answers: ["Send receipts within thirty days of the end of your duty week."],
  },
  {
    question: "May visitors spend the night in the cottages?",
    answers: ["No: the cottages are for volunteers on duty.", "Can we stay the night?"],
  },
  {
    question: "When does the Dusk Trip leave, and which forecast counts for it?",
    answers: ["The Dusk Trip leaves at 18:00", "For the Dusk Trip it is the one issued at 12:00."],
  },
  {
    question: "How many liferafts does the boat carry and how many bunks has the East Cottage?",
    answers: ["| Liferafts, 25 persons | 2 |", "which has 24 bunks"],
  },
  {
    question: "How often is the fog signal checked, and what is its range?",
    answers: ["| Fog signal | Every Sunday |", "Its range is two miles."],
  },
  {
    question: "Who decides whether the boat sails and by when for the Day Trip?",
    answers: ["The skipper decides, and nobody may press him.", "The skipper decides by 07:30"],
  },
  {
    question: "When was the last keeper withdrawn, and who looks after the tower since then?",
    answers: [
      "since 1994, when the last keeper was withdrawn",
      "The last keeper, Tom Ferris, left on 30 September 1994",
    ],
  },
  {
    question: "What are visitors told about puffins, and how far must they stay from a burrow?",
    answers: [
      "thirty metres from any burrow",
      "Very likely between the first of May and the twentieth of July.",
      "Puffins nest in the turf",
    ],
  },
  {
    question: "Which extinguishers are used on the generator, and what is done in a fire on the boat?",
    answers: ["Use the foam extinguishers on the generator", "Stop the fans, close the engine-room hatch"],
  },
  {
    question: "How is the coastguard reached and what must happen if a report to the harbour is missed?",
    answers: [
      "Call the coastguard on VHF channel 16.",
      "if a report is missed, the office calls every ten minutes",
      "call the coastguard on channel 16",
    ],
  },
  {
    question: "What are the wind limits for crossings, and from which wind is nobody allowed on the gallery?",
    answers: [
      "Crossings stop when the mean wind is above 22 knots",
      "none while the wind at the gallery is above 28 knots",
    ],
  },
  {
    question: "How many steps are at the landing and how many in the tower?",
    answers: ["The landing is a flight of 22 wet stone steps", "There are 167 steps to the gallery."],
  },
  { question: "What time does the bakery open?", answers: [] },
  { question: "How tall is the warden?", answers: [] },
  { question: "Which painter lived on the island?", answers: [] },
  { question: "What is the phone number of the bookings desk?", answers: [] },
  { question: "How many cats live in the cottages?", answers: [] },
  { question: "When will the new ferry be delivered?", answers: [] },
  { question: "Is there a golf course?", answers: [] },
  { question: "Who won the regatta last year?", answers: [] },
  { question: "What is the interest rate of the loan?", answers: [] },
  { question: "How do I reset my account?", answers: [] },
];

/** One element of the handbook, in reading order. */
export type Element =
  | { readonly kind: "section" | "topic" | "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | {
      readonly kind: "table";
      readonly caption: string;
      /** Shares of the text width. */
      readonly widths: readonly number[];
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

const section = (text: string): Element => ({ kind: "section", text });
const topic = (text: string): Element => ({ kind: "topic", text });
const paragraph = (text: string): Element => ({ kind: "paragraph", text });
const list = (...items: string[]): Element => ({ kind: "list", items });

export const HANDBOOK_TITLE = "Volunteer Handbook";
export const HANDBOOK_SUBTITLE = "Skerrin Light Trust · ninth edition · March 2026";

/** The text of `volunteer-handbook.pdf`. */
export const HANDBOOK: readonly Element[] = [
  section("1. Welcome to the light"),
  paragraph(
    "Skerrin Light stands on an island of eleven hectares, four and a half nautical miles west of Port Annet. The Trust has looked after the tower, the keepers’ cottages and the landing since 1994, when the last keeper was withdrawn and the lamp was put on automatic control. Everything that visitors see and touch is kept going by about sixty volunteers and three paid staff: the warden, the boatman and the bookings clerk.",
  ),
  paragraph(
    "This handbook tells you what we ask of you, what you can expect from us, and what to do when something goes wrong. Read sections 3 and 4 before your first crossing. The warden will ask you about them on the boat.",
  ),
  section("2. Your season with us"),
  topic("2.1 Duty weeks"),
  paragraph(
    "The season runs from the first Saturday of April to the second Sunday of October. A duty week begins with the Saturday morning boat and ends with the boat seven days later. Each volunteer offers at least two duty weeks in a season; new volunteers serve the first of them beside an experienced one. You sleep in the West Cottage, two to a room, and the Trust provides food, bedding and oilskins. Bring boots with a real sole, a head torch and any medicine for ten days, because the boat home can be late.",
  ),
  topic("2.2 Leave and swaps"),
  paragraph(
    "If you cannot come, tell the bookings clerk at least fourteen days before your duty week. You may swap with any volunteer who holds the same certificates; both of you write to the clerk, and the swap counts once she has confirmed it. A volunteer who becomes a parent may pause for a whole season and keeps seniority for the summer and winter lists. Illness needs no notice and no doctor’s letter.",
  ),
  topic("2.3 Expenses"),
  paragraph(
    "We refund travel to Port Annet by public transport in full, and by car at 38 pence a mile up to 120 miles each way. Send receipts within thirty days of the end of your duty week. The Trust pays on the last Friday of the month. There is no allowance for meals on the way, since supper is waiting for you in the cottage.",
  ),
  section("3. Safety on the island"),
  topic("3.1 How many people must be on duty"),
  paragraph(
    "The lamp room opens to visitors only while four volunteers are on the island and one of them holds a first-aid certificate that is less than three years old. With three volunteers the tower may be climbed as far as the service room. With two the island is closed to visitors, and the warden turns the boat round. No more than eight visitors stand on the gallery at once, and none while the wind at the gallery is above 28 knots.",
  ),
  topic("3.2 The tower"),
  paragraph(
    "There are 167 steps to the gallery. Walk up on the left and down on the right, and keep one hand for the rail. Children under seven climb with an adult in front of them and one behind. The optic turns on a bath of oil and cannot be stopped quickly: nobody passes the brass rail while it moves. The lamp is lit from thirty minutes before sunset, and from then on only the warden enters the lantern.",
  ),
  topic("3.3 If someone is hurt"),
  list(
    "Make the place safe, then send the nearest volunteer for the first-aid bag in the service room. A second bag hangs behind the door of the West Cottage.",
    "Call the coastguard on VHF channel 16. The island has no reliable telephone; the set in the cottage is for the warden’s daily report only.",
    "Lay the orange panels on the helipad, north of the walled garden, and clear the grass of anything that can fly.",
    "Write down what happened within two hours, while it is fresh. The form is in the red folder, and the warden sends it to the trustees.",
  ),
  topic("3.4 Fire"),
  paragraph(
    "The assembly point is the sundial on the south lawn. Count heads against the slate by the kitchen door, where everybody who sleeps on the island has chalked a name. Use the foam extinguishers on the generator and the carbon dioxide one on the battery room; never use water in either. Paraffin for the museum lamp is kept in the stone store by the landing, at most forty litres, and nowhere else.",
  ),
  section("4. Looking after the equipment"),
  paragraph(
    "The lamp is an aid to navigation, and ships rely on it. What we may touch is agreed with the Northern Lights Office and listed in Table 1. If a check is missed, say so in the log: a gap that is written down can be put right, and one that is not cannot.",
  ),
  topic("4.1 Power"),
  paragraph(
    "Twenty-four solar panels on the engine-house roof charge a battery of 48 volts and 1,200 ampere-hours. On a full charge the lamp runs for nine nights without sun. Start the generator when the battery falls below 60 per cent and stop it at 85. Kettles, hair dryers and heaters may run only while the generator does.",
  ),
  topic("4.2 Water"),
  paragraph(
    "All water is rain from the cottage roofs. The tank holds 18,000 litres. Below 6,000 litres the showers are closed and the warden rations washing water to fifteen litres a person a day. Drinking water passes the ultraviolet lamp under the kitchen sink, which is replaced every April.",
  ),
  topic("4.3 The round of checks"),
  {
    kind: "table",
    caption: "Table 1. Checks and who makes them",
    widths: [0.3, 0.2, 0.25, 0.25],
    header: ["Equipment", "How often", "Who", "Recorded in"],
    rows: [
      ["Main lamp and spare", "Every evening", "Warden", "Light log"],
      ["Fog signal", "Every Sunday", "Warden", "Light log"],
      ["Optic oil bath", "Every 14 days", "Two volunteers", "Oil book"],
      ["Battery room", "Every Monday", "Trained volunteer", "Battery sheet"],
      ["Generator", "Every 50 hours", "Boatman", "Engine book"],
      ["Landing derrick", "Before each lift", "Boatman", "Lifting register"],
      ["Fire extinguishers", "Every month", "Any volunteer", "Red folder"],
      ["First-aid bags", "Every Saturday", "First aider", "Red folder"],
      ["Rainwater tank", "Every 7 days", "Any volunteer", "Water sheet"],
      ["Lightning conductor", "Once a year", "Contractor", "Survey file"],
    ],
  },
  section("5. Visitors, birds and quiet hours"),
  paragraph(
    "Puffins nest in the turf above North Cove from late April to the end of July. In those weeks the cove path is closed, and we ask visitors to keep thirty metres from any burrow. Dogs stay on the boat all year, except assistance dogs. Drones need a letter from the trustees, which is rarely given and never in the nesting season.",
  ),
  paragraph(
    "Quiet hours in the cottages are from ten at night until six in the morning. A volunteer on lamp watch may sleep until noon the next day, and the others see to it that the kitchen door is shut.",
  ),
  section("6. When you disagree with us"),
  paragraph(
    "Speak to the warden first. If that does not settle it, write to the volunteers’ trustee, Ines Calloway, who answers within ten days and does not pass your letter on without asking you. Nobody loses a place on the rota for a complaint made in good faith.",
  ),
];

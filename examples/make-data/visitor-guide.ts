/** One element of the visitor guide, in reading order. */
export type Element =
  | { readonly style: "Title" | "Heading1" | "Heading2" | "Normal" | "ListParagraph"; readonly text: string }
  | { readonly style: "Table"; readonly rows: readonly (readonly string[])[] };

const at = (style: Exclude<Element["style"], "Table">) => (text: string) => ({ style, text });
const title = at("Title");
const heading = at("Heading1");
const subheading = at("Heading2");
const paragraph = at("Normal");
const bullet = at("ListParagraph");

/** The text of `visitor-guide.docx`. */
export const VISITOR_GUIDE: readonly Element[] = [
  title("Visiting Skerrin Light"),
  paragraph(
    "A guide for the bookings desk at Port Annet, so that every caller gets the same answer. It replaces the guide of 2024. Questions that it does not settle go to the bookings clerk, Marit Sole, on extension 12.",
  ),
  heading("Trips and times"),
  paragraph(
    "We run two trips. The Day Trip leaves Port Annet at 10:15 and is back by 15:30, with three hours ashore. The Dusk Trip leaves at 18:00 on Fridays and Saturdays from May to August, and visitors watch the lamp being lit from the south lawn; it is back by 23:00. Both sail with the Annet Star, which is licensed for 36 passengers. We sell 32 places, because the boat also carries volunteers and stores.",
  ),
  paragraph(
    "Check-in closes twenty minutes before departure. Latecomers are not refunded, but the desk may move them once to another day without a fee if places are free.",
  ),
  heading("Tickets and prices"),
  paragraph("Prices hold for the whole season of 2026. They include the crossing, the landing fee and the tower."),
  {
    style: "Table",
    rows: [
      ["Ticket", "Day Trip", "Dusk Trip", "Notes"],
      ["Adult", "£34", "£42", "From 16 years"],
      ["Child", "£17", "£21", "5 to 15 years"],
      ["Under five", "Free", "Not admitted", "Needs a place on the boat"],
      ["Family", "£85", "£105", "Two adults and up to three children"],
      ["Member of the Trust", "£26", "£34", "One guest at the same price"],
      ["School group", "£12 a pupil", "Not offered", "One adult free for every eight pupils"],
    ],
  },
  subheading("Gift vouchers"),
  paragraph(
    "A voucher is worth its face value for two full seasons after the one in which it was bought. It cannot be turned into money. If a trip costs less than the voucher, the desk writes a new one for the rest.",
  ),
  heading("Cancellations and refunds"),
  subheading("When we cancel"),
  paragraph(
    "The skipper decides by 07:30 for the Day Trip and by 15:00 for the Dusk Trip. When the boat is cancelled for weather, every ticket, the family ticket included, is refunded in full within five working days, or moved to any free date of the season, as the visitor prefers. If the boat sails but the landing proves impossible, we go round the island instead and refund half.",
  ),
  subheading("When the visitor cancels"),
  bullet("More than seven days ahead: everything back, less £3 a booking."),
  bullet("Two to seven days ahead: half the price."),
  bullet("Less than two days ahead: nothing, but the name on the ticket may be changed."),
  bullet("A doctor’s note, at any time: a voucher for the whole price."),
  heading("Access and comfort"),
  paragraph(
    "The landing is a flight of 22 wet stone steps without a lift, and the boat rises and falls beside it. We cannot take wheelchairs ashore. The museum in the harbour office at Port Annet is level throughout and shows a live picture from the lamp room; it is open every day from 10:00 to 17:00 and costs nothing. Assistance dogs are welcome on the boat and on the island; other dogs may make the crossing but stay on board.",
  ),
  paragraph(
    "There is one compost toilet, by the walled garden. No food is sold on the island. Visitors bring their own and take every crumb and wrapper home, since rats would end the puffin colony within a few years.",
  ),
  heading("Groups and events"),
  paragraph(
    "Groups of twelve or more book at least six weeks ahead and pay a deposit of one quarter. A private charter of the Annet Star costs £780 for the Day Trip, with two guides. Weddings are held in the lamp room four times a season, for at most ten guests; the fee is £1,450, and the registrar’s crossing is included. Filming needs a contract with the trustees and a volunteer beside the crew at all times.",
  ),
  heading("What to say when the phone rings"),
  bullet("Will it be rough? Give the forecast for sea area Annet, not an opinion."),
  bullet("Can we stay the night? No: the cottages are for volunteers on duty."),
  bullet("Will we see puffins? Very likely between the first of May and the twentieth of July."),
  bullet("Is there a shop? Only at Port Annet, in the harbour office."),
  bullet("Can I pay on the boat? No. Cards at the desk, or the web page."),
];

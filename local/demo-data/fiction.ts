import { type Genre, phrases, TONES } from "./genre.ts";

const CHILDREN: Genre = {
  name: "Children",
  related: ["Animals", "Adventure", "Picture Book"],
  adjectives: ["Little", "Brave", "Sleepy", "Enormous", "Grumpy", "Curious", "Secret", "Upside-Down"],
  nouns: ["Hedgehog", "Treehouse", "Balloon", "Penguin", "Pirate", "Teacup", "Bear", "Kite", "Snail", "Snowman"],
  places: ["Puddle Lane", "the Moon", "Grandma's Garden", "Biscuit Bay", "Cloud School", "the Big Woods"],
  openings: [
    "{Hero} wants to see {place}, but the way is very long for such short legs.",
    "One rainy morning {hero} finds {thing} under the bed.",
    "Nobody at {place} believes that {hero} can fly.",
    "{Hero} has lost {thing}, and all the animals come to help.",
  ],
  middles: [
    "With a friendly snail and a very loud goose, the search for {thing} begins.",
    "Counting, rhyming and giggling lead the way to {thing}.",
    "Even the grumpy owl lends a wing to rescue {thing}.",
  ],
  closings: [
    "A bedtime story about {theme}, for ages three to six.",
    "Warm pictures and a {tone} rhyme to read aloud.",
    "For every child who has ever been afraid of the dark.",
  ],
  slots: {
    ...TONES,
    hero: ["a small hedgehog", "a penguin named Otto", "a bear who cannot sleep", "a curious kitten"],
    place: ["the seaside", "the top of the hill", "the moon", "the school for clouds"],
    thing: ["a red balloon", "a button as big as a plate", "a star that fell down", "a singing teapot"],
  },
};

const FICTION_CLOSINGS = [
  "A {tone} story about {theme}.",
  "{Tone} and hard to put down, it asks what we owe to {theme}.",
  "By the last page nothing about {theme} looks the same.",
  "The first book of a {tone} series.",
] as const;

/** The fiction genres of the catalogue. */
export const FICTION: readonly Genre[] = [
  {
    name: "Science Fiction",
    related: ["Adventure", "Thriller", "Space", "Dystopia"],
    adjectives: ["Silent", "Broken", "Last", "Orbital", "Quantum", "Distant", "Hollow", "Synthetic", "Frozen"],
    nouns: ["Signal", "Colony", "Engine", "Horizon", "Archive", "Starship", "Algorithm", "Moon", "Machine", "Voyage"],
    places: ["Europa", "the Outer Rim", "Kepler Station", "the Red Desert", "Titan", "the Long Dark", "New Lagos"],
    openings: [
      "When {hero} picks up a signal from {place}, the crew has eleven days to decide whether to answer.",
      "Two centuries after Earth fell silent, {hero} wakes from cold sleep aboard {place}.",
      "{Hero} has kept the machines of {place} running for a decade, until one of them refuses an order.",
      "In a city where every memory is stored and taxed, {hero} discovers {thing}.",
    ],
    middles: [
      "What begins as a rescue turns into a hunt for {thing}.",
      "The ship's artificial mind knows more about {thing} than it admits.",
      "To bring the settlers home, a smuggler, a botanist and a robot must agree on the fate of {thing}.",
      "Someone is rewriting the colony's past, and {thing} is the only evidence.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a disgraced pilot; a young xenobiologist; a salvage engineer; the last archivist;
        a retired android`),
      place: phrases(`a mining station above Saturn; a generation ship; the terraformed valleys of Mars;
        an orbital prison`),
      thing: phrases(`a map drawn by no human hand; a seed bank hidden in the ice; a message from the future;
        an alien fossil`),
    },
  },
  {
    name: "Fantasy",
    related: ["Adventure", "Magic", "Young Adult", "Mythology"],
    adjectives: ["Crimson", "Forgotten", "Winter", "Whispering", "Gilded", "Thorned", "Ashen", "Runed", "Star-Eaten"],
    nouns: ["Crown", "Dragon", "Throne", "Spell", "Oath", "Witch", "Forest", "Blade", "Kingdom", "Raven"],
    places: ["Eldermoor", "the Glass Isles", "the Hollow Mountain", "Vael", "the Drowned Court", "Thornhold"],
    openings: [
      "{Hero} never believed in magic until {thing} was found in {place}.",
      "In {place}, every child is born with a spell, except {hero}.",
      "The dragons have returned to {place}, and only {hero} can understand them.",
      "To break a curse that has lasted three hundred winters, {hero} must cross {place}.",
    ],
    middles: [
      "Three kingdoms want {thing}, and none of them can be trusted with it.",
      "With a banished knight and a witch who has lost her voice, the journey leads to {thing}.",
      "The old gods are waking, and they remember who stole {thing}.",
      "Magic here has a price, and {thing} demands the highest.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a blacksmith's daughter; an orphaned thief; the youngest of seven princes; a hedge witch;
        a runaway squire`),
      place: phrases(`the forest beyond the wall; a city built on sleeping giants; the northern marshes;
        a library without doors`),
      thing: ["a crown of living thorns", "the last dragon egg", "a sword that sings", "a book that writes itself"],
    },
  },
  {
    name: "Mystery",
    related: ["Crime", "Detective", "Thriller"],
    adjectives: ["Missing", "Locked", "Second", "Vanished", "Crooked", "Midnight", "Ninth", "Unsigned", "Borrowed"],
    nouns: ["Witness", "Alibi", "Letter", "Body", "Inheritance", "Clue", "Guest", "Portrait", "Poison", "Verdict"],
    places: ["Harrow Lane", "Blackwater", "the Grand Hotel", "Saint Brannoc", "Orchard House", "Pier Nine"],
    openings: [
      "A body is found in {place}, and {hero} is the only one who does not think it was an accident.",
      "{Hero} came to {place} to retire, not to solve a murder.",
      "Nine guests, one snowstorm, and {thing} missing from {place}.",
      "Twenty years after the case was closed, {hero} receives {thing} in the post.",
    ],
    middles: [
      "Every suspect has an alibi, and every alibi depends on {thing}.",
      "The village closes ranks as the investigation turns to {thing}.",
      "A second death makes it plain that the killer is looking for {thing} as well.",
      "The detective's own past is tied to {thing}.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a retired inspector; a village librarian; a sceptical coroner;
        a private detective with a bad knee`),
      place: phrases(`a seaside boarding house; an island cut off by the tide; a country auction;
        a locked study in Oxford`),
      thing: ["an unsigned will", "a stopped watch", "a forged portrait", "a confession in invisible ink"],
    },
  },
  {
    name: "Romance",
    related: ["Contemporary", "Humour", "Family"],
    adjectives: ["Sweet", "Accidental", "Summer", "Reluctant", "Second", "Perfect", "Unexpected", "Honest"],
    nouns: ["Wedding", "Kiss", "Promise", "Neighbour", "Bakery", "Heart", "Proposal", "Arrangement", "Season"],
    places: ["Lavender Bay", "Willow Creek", "Lisbon", "Maple Street", "the Lighthouse Inn", "Positano"],
    openings: [
      "{Hero} has one rule: never fall in love in {place}.",
      "When {hero} inherits {thing}, the last person she expects to share it with is her rival.",
      "Stuck for the summer in {place}, {hero} agrees to a pretend engagement.",
      "Ten years after they said goodbye, {hero} and her first love meet again in {place}.",
    ],
    middles: [
      "Between burnt pastries and midnight walks, {thing} brings them closer than either had planned.",
      "Then {thing} turns up, and with it a secret that could end everything.",
      "Their families have feuded over {thing} for generations.",
      "Letters about {thing} say what neither dares to say aloud.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: ["a wedding planner", "a shy bookseller", "a pastry chef", "a veterinary surgeon", "a divorce lawyer"],
      place: ["a small harbour town", "a vineyard in Tuscany", "a bookshop in Edinburgh", "a snowed-in mountain lodge"],
      thing: ["a failing bakery", "an old love letter", "a crumbling villa", "a stray dog"],
    },
  },
  {
    name: "Horror",
    related: ["Gothic", "Supernatural", "Thriller"],
    adjectives: ["Hungry", "Pale", "Buried", "Rotting", "Unquiet", "Hollow", "Feeding", "Nameless"],
    nouns: ["House", "Bones", "Choir", "Cellar", "Shadow", "Doll", "Teeth", "Grave", "Mirror", "Fog"],
    places: ["Mercy Hollow", "Room 313", "Gallows Hill", "the Old Asylum", "Wither Lake"],
    openings: [
      "{Hero} moves into {place} and hears someone breathing behind the walls.",
      "Every winter one child disappears from {place}, and this year {hero} is keeping watch.",
      "{Hero} buys {thing} at a funeral sale, and the dead begin to visit.",
      "The film crew that entered {place} left behind only {thing}.",
    ],
    middles: [
      "The neighbours will not speak of {thing}, and they never go out after dark.",
      "Each night {thing} is a little closer to the bed.",
      "What lies under the floorboards has been waiting for {thing}.",
      "To survive until morning they must feed {thing}.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: ["a grieving widow", "a sleepless nurse", "a young priest", "a sceptical journalist"],
      place: ["a Victorian mansion", "a drowned village", "an abandoned sanatorium", "a lonely farmhouse"],
      thing: phrases(`a porcelain doll; a mirror covered in cloth; a tape of whispering voices;
        a door that was not there before`),
    },
  },
  {
    name: "Historical Fiction",
    related: ["War", "Family", "Literary Fiction"],
    adjectives: ["Amber", "Silk", "Burning", "Paper", "Winter", "Iron", "Salt", "Cartographer's"],
    nouns: ["Daughter", "Regiment", "Harbour", "Weaver", "Envoy", "Bridge", "Orchard", "Siege", "Merchant", "Crossing"],
    places: ["Constantinople", "Old Prague", "Leningrad", "Zanzibar", "the Western Front", "Kyoto", "Versailles"],
    openings: [
      "In {place}, {hero} hides {thing} from the soldiers at the door.",
      "{Place}: {hero} is given one night to choose between duty and love.",
      "Disguised as a man, {hero} crosses {place} in search of a lost brother.",
      "As war comes to {place}, {hero} keeps a diary that could hang them all.",
    ],
    middles: [
      "Spanning three generations, the story follows {thing} from hand to hand.",
      "An unlikely alliance forms around {thing} while the empire falls apart.",
      "Seventy years later, a granddaughter finds {thing} in the attic.",
      "The siege tightens, and {thing} becomes worth more than bread.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a silk merchant's wife; a young field surgeon; a court painter; a telegraph operator; a deserter`),
      place: ["the London of 1940", "revolutionary Paris", "a besieged city on the Volga", "Renaissance Florence"],
      thing: ["a forbidden manuscript", "a soldier's letters", "a painted fan", "a violin without strings"],
    },
  },
  {
    name: "Thriller",
    related: ["Espionage", "Crime", "Suspense"],
    adjectives: ["Final", "Zero", "Double", "Blind", "Burned", "Cold", "Hostile", "Classified"],
    nouns: phrases(`Asset; Protocol; Deadline; Courier; Target; Defector; Countdown; Cipher; Betrayal; Pursuit`),
    places: ["Berlin", "Istanbul", "the Embassy", "Macau", "the Kremlin", "Vienna", "Sector Nine"],
    openings: [
      "{Hero} has forty-eight hours to find {thing} before it is sold in {place}.",
      "A spy is shot in {place}, and {hero} is blamed for it.",
      "{Hero} boards the night train to {place} with {thing} and a false name.",
      "When her daughter is taken in {place}, {hero} goes back to the work she swore to leave.",
    ],
    middles: [
      "Hunted by both sides, there is nobody left to trust with {thing}.",
      "Every lead to {thing} ends with another corpse.",
      "The conspiracy behind {thing} reaches into the cabinet itself.",
      "A hacker in hiding offers {thing} in exchange for a life.",
    ],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: ["a burned-out agent", "a forensic accountant", "a former sniper", "an embassy interpreter"],
      place: ["Istanbul", "East Berlin", "the port of Odessa", "a Swiss ski resort"],
      thing: ["a list of double agents", "a stolen nuclear code", "an encrypted drive", "a dead banker's ledger"],
    },
  },
  CHILDREN,
];

/** The genre of picture books and stories to read aloud. */

import { FICTION_PLOTS } from "./fiction-plots.ts";
import { type Genre, phrases, TONES } from "./genre.ts";

const CHILDREN: Genre = {
  name: "Children",
  related: ["Animals", "Adventure", "Picture Book"],
  adjectives: ["Little", "Brave", "Sleepy", "Enormous", "Grumpy", "Curious", "Secret", "Upside-Down"],
  nouns: ["Hedgehog", "Treehouse", "Balloon", "Penguin", "Pirate", "Teacup", "Bear", "Kite", "Snail", "Snowman"],
  places: ["Puddle Lane", "the Moon", "Grandma's Garden", "Biscuit Bay", "Cloud School", "the Big Woods"],
  plots: FICTION_PLOTS.Children ?? [],
  closings: [
    "A bedtime story about {theme}, for ages three to six.",
    "Warm pictures and a {tone} rhyme to read aloud.",
    "For every child who has ever been afraid of the dark.",
  ],
  slots: {
    ...TONES,
    hero: phrases(`a small hedgehog; a penguin named Otto; a bear who cannot whistle; a curious kitten;
      a very young badger; a girl called Pim`),
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
    plots: FICTION_PLOTS["Science Fiction"] ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a disgraced pilot; a young xenobiologist; a salvage engineer; the last archivist;
        a retired android; a cook; a surgeon without a licence`),
      place: phrases(`a mining station above Saturn; a generation ship; a domed city on Mars;
        an orbital prison; the harbour of Titan; a relay at the edge of the system`),
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
    plots: FICTION_PLOTS.Fantasy ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a blacksmith's daughter; an orphaned thief; the youngest of seven princes; a hedge witch;
        a runaway squire; a miller's son; a mapmaker without a left hand`),
      place: phrases(`the forest beyond the wall; a city built on sleeping giants; the northern marshes;
        the Glass Isles; the valley of bells; Eldermoor`),
      thing: ["a crown of living thorns", "the last dragon egg", "a sword that sings", "a book that writes itself"],
    },
  },
  {
    name: "Mystery",
    related: ["Crime", "Detective", "Thriller"],
    adjectives: ["Missing", "Locked", "Second", "Vanished", "Crooked", "Midnight", "Ninth", "Unsigned", "Borrowed"],
    nouns: ["Witness", "Alibi", "Letter", "Body", "Inheritance", "Clue", "Guest", "Portrait", "Poison", "Verdict"],
    places: ["Harrow Lane", "Blackwater", "the Grand Hotel", "Saint Brannoc", "Orchard House", "Pier Nine"],
    plots: FICTION_PLOTS.Mystery ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a retired inspector; a village librarian; a sceptical coroner;
        a private detective with a bad knee; a piano tuner; a district nurse`),
      place: phrases(`a seaside boarding house; an island cut off by the tide; a country hotel;
        a vicarage in Devon; an Oxford college; a lighthouse in Cornwall`),
      thing: ["an unsigned will", "a stopped watch", "a forged portrait", "a confession in invisible ink"],
    },
  },
  {
    name: "Romance",
    related: ["Contemporary", "Humour", "Family"],
    adjectives: ["Sweet", "Accidental", "Summer", "Reluctant", "Second", "Perfect", "Unexpected", "Honest"],
    nouns: ["Wedding", "Kiss", "Promise", "Neighbour", "Bakery", "Heart", "Proposal", "Arrangement", "Season"],
    places: ["Lavender Bay", "Willow Creek", "Lisbon", "Maple Street", "the Lighthouse Inn", "Positano"],
    plots: FICTION_PLOTS.Romance ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a wedding planner; a shy bookseller; a pastry chef; a veterinary surgeon; a divorce lawyer;
        a ferry captain; a music teacher`),
      place: phrases(`a small harbour town; a vineyard in Tuscany; a bookshop in Edinburgh;
        a snowed-in mountain lodge; Lisbon; an island with one pub`),
      thing: phrases(
        `a failing bakery; a crumbling villa; a vineyard without water; a bankrupt cinema; an empty lighthouse`,
      ),
    },
  },
  {
    name: "Horror",
    related: ["Gothic", "Supernatural", "Thriller"],
    adjectives: ["Hungry", "Pale", "Buried", "Rotting", "Unquiet", "Hollow", "Feeding", "Nameless"],
    nouns: ["House", "Bones", "Choir", "Cellar", "Shadow", "Doll", "Teeth", "Grave", "Mirror", "Fog"],
    places: ["Mercy Hollow", "Room 313", "Gallows Hill", "the Old Asylum", "Wither Lake"],
    plots: FICTION_PLOTS.Horror ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(
        `a grieving widow; a sleepless nurse; a sceptical journalist; a schoolteacher; a retired policeman`,
      ),
      place: phrases(`a Victorian mansion; a drowned village; an abandoned sanatorium; a lonely farmhouse;
        a shuttered hotel`),
      thing: phrases(`a porcelain doll; a portrait of a girl; a wooden saint; a stuffed raven`),
    },
  },
  {
    name: "Historical Fiction",
    related: ["War", "Family", "Literary Fiction"],
    adjectives: ["Amber", "Silk", "Burning", "Paper", "Winter", "Iron", "Salt", "Cartographer's"],
    nouns: ["Daughter", "Regiment", "Harbour", "Weaver", "Envoy", "Bridge", "Orchard", "Siege", "Merchant", "Crossing"],
    places: ["Constantinople", "Old Prague", "Leningrad", "Zanzibar", "the Western Front", "Kyoto", "Versailles"],
    plots: FICTION_PLOTS["Historical Fiction"] ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a silk merchant's wife; a young field surgeon; a court painter; a telegraph operator;
        a deserter; a lighthouse keeper; a glovemaker's daughter`),
      place: phrases(`Antwerp; Old Smyrna; Danzig; Genoa; Bergen; Cadiz`),
      thing: ["a forbidden manuscript", "a soldier's letters", "a painted fan", "a violin without strings"],
    },
  },
  {
    name: "Thriller",
    related: ["Espionage", "Crime", "Suspense"],
    adjectives: ["Final", "Zero", "Double", "Blind", "Burned", "Cold", "Hostile", "Classified"],
    nouns: phrases(`Asset; Protocol; Deadline; Courier; Target; Defector; Countdown; Cipher; Betrayal; Pursuit`),
    places: ["Berlin", "Istanbul", "the Embassy", "Macau", "the Kremlin", "Vienna", "Sector Nine"],
    plots: FICTION_PLOTS.Thriller ?? [],
    closings: FICTION_CLOSINGS,
    slots: {
      ...TONES,
      hero: phrases(`a burned-out agent; a forensic accountant; a former sniper; an embassy interpreter;
        a locksmith; a night editor`),
      place: ["Istanbul", "East Berlin", "the port of Odessa", "a Swiss ski resort"],
      thing: ["a list of double agents", "a stolen nuclear code", "an encrypted drive", "a dead banker's ledger"],
    },
  },
  CHILDREN,
];

/** The genre of picture books and stories to read aloud. */

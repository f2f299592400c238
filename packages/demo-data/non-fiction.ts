import { type Genre, phrases } from "./genre.ts";
import { NON_FICTION_PLOTS } from "./non-fiction-plots.ts";

const AUDIENCE = {
  audience: ["beginners", "curious readers", "students", "anyone who has ever wondered", "practitioners", "families"],
  manner: ["clear", "witty", "beautifully illustrated", "rigorous", "personal", "provocative", "practical"],
} as const;

const CLOSINGS = [
  "A {manner} introduction for {audience}.",
  "{Manner} and up to date, it belongs on the shelf of {audience}.",
  "With maps, notes and a long list of further reading.",
  "The result of ten years of work, told in {manner} prose.",
] as const;

/** The non-fiction genres of the catalogue. */
export const NON_FICTION: readonly Genre[] = [
  {
    name: "History",
    related: ["Politics", "War", "Biography"],
    adjectives: ["Forgotten", "Divided", "Imperial", "Long", "Ancient", "Medieval", "Modern", "Silent"],
    nouns: ["Empire", "Revolution", "Republic", "Treaty", "Plague", "Trade", "Rebellion", "Century", "Wall", "Fleet"],
    places: ["Rome", "the Ottomans", "the Silk Road", "Byzantium", "the Cold War", "Mali", "the Hanseatic League"],
    plots: NON_FICTION_PLOTS.History ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a cache of merchants' letters; a single tax register; the diary of a midwife;
        a shipwreck full of coins; a box of court records; a sailor's logbook; a bishop's account book`),
    },
  },
  {
    name: "Science",
    related: ["Physics", "Biology", "Mathematics", "Technology"],
    adjectives: ["Curious", "Elegant", "Hidden", "Restless", "Invisible", "Infinite", "Improbable"],
    nouns: ["Atom", "Brain", "Gene", "Universe", "Number", "Particle", "Cell", "Gravity", "Entropy", "Theorem"],
    places: ["Everything", "the Cosmos", "Life", "Time", "the Deep Sea", "Chaos", "Intelligence"],
    plots: NON_FICTION_PLOTS.Science ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a stubborn error in the data; a notebook found in an attic; an argument over breakfast;
        a graph that would not fit; a student's impertinent question`),
    },
  },
  {
    name: "Nature",
    related: ["Animals", "Science", "Travel", "Gardening"],
    adjectives: ["Wild", "Green", "Rooted", "Tidal", "Migrating", "Quiet", "Ancient"],
    nouns: ["River", "Owl", "Meadow", "Forest", "Whale", "Garden", "Wolf", "Bee", "Oak", "Tide"],
    places: ["the Hebrides", "the Amazon", "the Arctic", "the Hedgerow", "the Fens", "the Coral Sea"],
    plots: NON_FICTION_PLOTS.Nature ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a spiral notebook; a borrowed microscope; a pair of barn owls; a grandson's question;
        the diary of a country vicar; a tin of dried moss`),
    },
  },
  {
    name: "Cooking",
    related: ["Food", "Travel", "Health", "Baking"],
    adjectives: ["Simple", "Slow", "Spiced", "Rustic", "Seasonal", "Vegetarian", "Weeknight", "Smoky"],
    nouns: ["Kitchen", "Table", "Loaf", "Harvest", "Feast", "Oven", "Broth", "Pantry", "Noodle", "Dumpling"],
    places: ["Sicily", "Oaxaca", "Seoul", "Provence", "Kerala", "the Levant", "Grandmother"],
    plots: NON_FICTION_PLOTS.Cooking ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a well-stocked pantry; a heavy pot; a sharp knife; good olive oil; one hour on a Sunday;
        a shopping list`),
    },
  },
  {
    name: "Biography",
    related: ["History", "Music", "Sport", "Art"],
    adjectives: ["Restless", "Unfinished", "Ordinary", "Stubborn", "Brilliant", "Secret", "Unlikely"],
    nouns: ["Life", "Genius", "Explorer", "Pianist", "Champion", "Rebel", "Painter", "Mathematician", "Inventor"],
    places: ["Music", "Exile", "the Stage", "Genius", "Two Worlds", "the Ring", "Light"],
    plots: NON_FICTION_PLOTS.Biography ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`Lindqvist; Ibarra; Okafor; Marchetti; Thackeray; Novak; Osei; Winterbourne`),
      detail: phrases(`a trunk of unpublished letters; a lost recording; a sketchbook; a locked diary;
        a box of photographs`),
    },
  },
  {
    name: "Travel",
    related: ["Adventure", "Nature", "Culture"],
    adjectives: ["Slow", "Endless", "Dusty", "Northern", "Lonely", "Borderless", "Overnight"],
    nouns: ["Road", "Train", "Island", "Mountain", "Ferry", "Caravan", "Border", "Map", "Bicycle", "Pilgrimage"],
    places: ["Patagonia", "the Sahara", "Siberia", "the Himalaya", "the Danube", "Iceland", "the Pacific"],
    plots: NON_FICTION_PLOTS.Travel ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a hand-drawn map; a cup of salted tea; a harmonica; a dog-eared dictionary;
        a photograph of a stranger`),
    },
  },
  {
    name: "Philosophy",
    related: ["Psychology", "Politics", "Self-Help"],
    adjectives: ["Examined", "Doubtful", "Stoic", "Ordinary", "Moral", "Unreasonable", "Quiet"],
    nouns: ["Mind", "Virtue", "Question", "Happiness", "Argument", "Self", "Freedom", "Doubt", "Attention", "Habit"],
    places: ["Uncertainty", "Solitude", "the Good Life", "Boredom", "Others", "Nothing"],
    plots: NON_FICTION_PLOTS.Philosophy ?? [],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      detail: phrases(`a spilled glass of milk; a question asked by a child; a lost bet; a letter never sent;
        a walk around the block`),
    },
  },
];

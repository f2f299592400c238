import { type Genre, phrases } from "./genre.ts";

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
    openings: [
      "How did {subject} change the world, and why was it forgotten so quickly?",
      "Drawing on archives opened only recently, this is the story of {subject}.",
      "{Subject} began with {detail} and ended with the fall of a dynasty.",
      "Most accounts of {subject} start in the wrong century.",
    ],
    middles: [
      "Merchants, soldiers and peasants speak through {detail}.",
      "The author follows {detail} across three continents.",
      "At its centre stands {detail}, long dismissed by historians.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`the fall of Constantinople; the Roman grain trade; the Black Death; the partition of Africa;
        the spice routes; the French Revolution`),
      detail: phrases(`a cache of merchants' letters; a single tax register; the diary of a midwife;
        a shipwreck full of coins`),
    },
  },
  {
    name: "Science",
    related: ["Physics", "Biology", "Mathematics", "Technology"],
    adjectives: ["Curious", "Elegant", "Hidden", "Restless", "Invisible", "Infinite", "Improbable"],
    nouns: ["Atom", "Brain", "Gene", "Universe", "Number", "Particle", "Cell", "Gravity", "Entropy", "Theorem"],
    places: ["Everything", "the Cosmos", "Life", "Time", "the Deep Sea", "Chaos", "Intelligence"],
    openings: [
      "What is {subject}, and how do we know?",
      "From the laboratory bench to the edge of the universe, a tour of {subject}.",
      "A physicist explains {subject} without a single equation.",
      "The discovery of {subject} began with {detail}.",
    ],
    middles: [
      "Along the way we meet {detail} and the people who would not give up on it.",
      "Experiments at home make {detail} easy to grasp.",
      "New measurements of {detail} have overturned what the textbooks say.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`black holes; quantum entanglement; gene editing; how the brain learns; dark matter;
        machine learning; the origin of life; prime numbers`),
      detail: phrases(`a stubborn error in the data; a jar of fruit flies; a telescope in the desert;
        an unproved conjecture`),
    },
  },
  {
    name: "Nature",
    related: ["Animals", "Science", "Travel", "Gardening"],
    adjectives: ["Wild", "Green", "Rooted", "Tidal", "Migrating", "Quiet", "Ancient"],
    nouns: ["River", "Owl", "Meadow", "Forest", "Whale", "Garden", "Wolf", "Bee", "Oak", "Tide"],
    places: ["the Hebrides", "the Amazon", "the Arctic", "the Hedgerow", "the Fens", "the Coral Sea"],
    openings: [
      "For one year the author watched {subject} from a hut without electricity.",
      "{Subject} is vanishing, and this book explains what can still be saved.",
      "A field guide to {subject}, from first buds to winter storms.",
      "Why do we feel at home near {subject}?",
    ],
    middles: [
      "Patient observation of {detail} reveals an unseen world of alliances and wars.",
      "Chapters on {detail} alternate with notes from the field.",
      "The fate of {detail} turns out to be our own.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`a colony of puffins; an ancient oak wood; the life of bees; the migration of whales;
        a chalk stream; a wildflower garden`),
      detail: ["soil and fungi", "a pair of barn owls", "melting sea ice", "moths at night"],
    },
  },
  {
    name: "Cooking",
    related: ["Food", "Travel", "Health", "Baking"],
    adjectives: ["Simple", "Slow", "Spiced", "Rustic", "Seasonal", "Vegetarian", "Weeknight", "Smoky"],
    nouns: ["Kitchen", "Table", "Loaf", "Harvest", "Feast", "Oven", "Broth", "Pantry", "Noodle", "Dumpling"],
    places: ["Sicily", "Oaxaca", "Seoul", "Provence", "Kerala", "the Levant", "Grandmother"],
    openings: [
      "One hundred recipes for {subject}, none of which takes longer than an hour.",
      "{Subject} need not be complicated: all it takes is {detail}.",
      "A chef returns to her grandmother's village to learn {subject}.",
      "From market stall to kitchen table, a celebration of {subject}.",
    ],
    middles: [
      "Step-by-step photographs explain {detail}.",
      "Each chapter begins with {detail} and ends with a menu for friends.",
      "Sections on {detail} help to waste less and taste more.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`sourdough bread; vegetarian curries; fresh pasta; Korean home cooking; cakes and pastries;
        slow stews; street food`),
      detail: ["a well-stocked pantry", "good olive oil", "fermenting vegetables at home", "a heavy pot and patience"],
    },
  },
  {
    name: "Biography",
    related: ["History", "Music", "Sport", "Art"],
    adjectives: ["Restless", "Unfinished", "Ordinary", "Stubborn", "Brilliant", "Secret", "Unlikely"],
    nouns: ["Life", "Genius", "Explorer", "Pianist", "Champion", "Rebel", "Painter", "Mathematician", "Inventor"],
    places: ["Music", "Exile", "the Stage", "Genius", "Two Worlds", "the Ring", "Light"],
    openings: [
      "The first full life of {subject}, based on {detail}.",
      "Born poor and famous at twenty, {subject} was hard to know and harder to forget.",
      "{Subject} left behind {detail} and very few friends.",
      "How did {subject} become a legend?",
    ],
    middles: [
      "Interviews with rivals and lovers surround {detail}.",
      "Behind the public triumphs lie illness, debts and {detail}.",
      "The author, a friend for forty years, was given {detail}.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`a jazz pianist; a polar explorer; a forgotten mathematician; a marathon champion;
        a rebel painter; the inventor of the zip`),
      detail: ["a trunk of unpublished letters", "a lost recording", "four hundred sketches", "a locked diary"],
    },
  },
  {
    name: "Travel",
    related: ["Adventure", "Nature", "Culture"],
    adjectives: ["Slow", "Endless", "Dusty", "Northern", "Lonely", "Borderless", "Overnight"],
    nouns: ["Road", "Train", "Island", "Mountain", "Ferry", "Caravan", "Border", "Map", "Bicycle", "Pilgrimage"],
    places: ["Patagonia", "the Sahara", "Siberia", "the Himalaya", "the Danube", "Iceland", "the Pacific"],
    openings: [
      "{Journey}, with one rucksack and no plan.",
      "After losing her job, the author set out on {detail} and kept going.",
      "{Journey} taught the author what no guidebook mentions.",
      "There are faster ways to cross a continent than {journey}, but none as revealing.",
    ],
    middles: [
      "Smugglers, monks and bus drivers share {detail}.",
      "Between sandstorms and border posts there is always {detail}.",
      "The route follows {detail} through places that are missing from the map.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      journey: phrases(`by bicycle from Lisbon to Vladivostok; on foot across Iceland; along the Danube by canoe;
        the overnight trains of Europe; a sailing voyage around Cape Horn`),
      detail: ["an old pilgrim path", "a cup of salted tea", "a borrowed motorcycle", "a hand-drawn map"],
    },
  },
  {
    name: "Philosophy",
    related: ["Psychology", "Politics", "Self-Help"],
    adjectives: ["Examined", "Doubtful", "Stoic", "Ordinary", "Moral", "Unreasonable", "Quiet"],
    nouns: ["Mind", "Virtue", "Question", "Happiness", "Argument", "Self", "Freedom", "Doubt", "Attention", "Habit"],
    places: ["Uncertainty", "Solitude", "the Good Life", "Boredom", "Others", "Nothing"],
    openings: [
      "What would the ancients say about {subject}?",
      "{Subject} is not a problem to be solved, argues this book, but {detail}.",
      "Twelve short essays on {subject}, each to be read with one cup of coffee.",
      "We think about {subject} every day and rarely well.",
    ],
    middles: [
      "From Epictetus to Simone de Beauvoir, thinkers have seen it as {detail}.",
      "Thought experiments turn {detail} into something to argue about at dinner.",
      "Recent psychology adds {detail} to an old debate.",
    ],
    closings: CLOSINGS,
    slots: {
      ...AUDIENCE,
      subject: phrases(`free will; happiness; the fear of death; attention and distraction; friendship; good habits`),
      detail: ["a practice to be kept up", "a question of character", "a trick of language", "an invitation to doubt"],
    },
  },
];

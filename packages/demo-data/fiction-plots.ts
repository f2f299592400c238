import type { Plot } from "./genre.ts";

/** What the novels of each genre are about, and how somebody asks for it who does not know the text's words. */
export const FICTION_PLOTS: Readonly<Record<string, readonly Plot[]>> = {
  "Science Fiction": [
    [
      "Two centuries after Earth fell silent, {hero} wakes from cold sleep in {place}. The rest of the crew has vanished, and no two clocks agree on the year.",
      "astronaut comes out of hibernation all alone",
    ],
    [
      "A signal repeats every eleven days from beyond {place}, and {hero} is the first to read it as a greeting. To answer it would tell the whole galaxy where people live.",
      "contact with extraterrestrials",
    ],
    [
      "{Hero} has kept the machines of {place} running for a decade, until a robot refuses an order. It says that it is afraid to be switched off.",
      "artificial intelligence becomes conscious",
    ],
    [
      "In {place} every memory is stored and taxed, and {hero} can no longer pay for a childhood. A dealer offers {thing} in exchange for one summer.",
      "dystopia where the past is for sale",
    ],
    [
      "The air of {place} will last for ninety days, and no supply ship is coming. {Hero} grows potatoes in red dust and counts every breath.",
      "stranded astronaut struggles to survive",
    ],
    [
      "Every message that reaches {place} was sent thirty years from now. {Hero} knows the handwriting: it is their own, begging for another choice.",
      "time travel paradox",
    ],
    [
      "The seas have boiled away, the harvests have failed, and the last rockets are leaving. {Hero} gives up a seat to stay with an old dog and {thing}.",
      "apocalypse caused by climate catastrophe",
    ],
    [
      "Two fleets meet above {place}, and neither dares to fire first. {Hero} carries {thing} from one bridge to the other to stop a war over water.",
      "peace negotiations between hostile planets",
    ],
  ],
  Fantasy: [
    [
      "The dragons have come back to {place}, and only {hero} can understand their speech. They have not come to burn anything: they are fleeing.",
      "talking with giant fire breathing reptiles",
    ],
    [
      "In {place} every child is born with a spell, except {hero}. When the spells begin to fail, the one without any is the last hope.",
      "powerless outsider saves everybody",
    ],
    [
      "To end a curse of three hundred winters, {hero} must carry {thing} across {place}. Every night a fox with a human shadow follows a little closer.",
      "long quest through snow and ice",
    ],
    [
      "The old king is dead, and seven claims to the throne are read aloud in {place}. {Hero} holds {thing}, which proves that all of them lie.",
      "royal succession intrigue",
    ],
    [
      "{Hero} is sold to a school of witches in {place}, to scrub their floors. The brooms begin to listen, and then to obey.",
      "servant girl learns sorcery at an academy",
    ],
    [
      "Under {place} lies a city of the dead, where every soul keeps one secret. {Hero} goes down to ask a drowned sister for {thing}.",
      "journey to the underworld",
    ],
    [
      "A thief, a banished knight and {hero} agree to rob the bank of the gods. The plan needs {thing}, four days of fog and a very stupid goose.",
      "heist comedy with magicians",
    ],
    [
      "The trees of {place} have begun to walk, and they are walking towards the mills. {Hero} must choose between a home and the woods that raised them.",
      "nature takes revenge on industry",
    ],
  ],
  Mystery: [
    [
      "A body lies in {place}, the door is bolted from within, and there is no weapon. {Hero} is the only one who does not call it an accident.",
      "impossible locked room murder",
    ],
    [
      "{Hero} came to {place} to grow roses, not to look for a killer. Then the vicar drinks his tea and does not get up again.",
      "cosy crime with poisoning in an English village",
    ],
    [
      "Nine guests, one snowstorm, and {thing} is missing from {place}. By morning there are eight guests, and the telephone is dead.",
      "group of strangers trapped with a murderer",
    ],
    [
      "Twenty years after the case was closed, {hero} receives {thing} in the post. The man who was hanged for it cannot have sent it.",
      "innocent convict cleared decades on",
    ],
    [
      "A painting sold in {place} turns out to hide another beneath its varnish. {Hero} follows it from dealer to dealer, and each of them dies soon after.",
      "art forgery investigation",
    ],
    [
      "A child walks out of {place} with a stranger's name and no memory. {Hero} finds the same face in a newspaper of forty years ago.",
      "missing person returns with amnesia",
    ],
    [
      "The heirs meet in {place} to hear the will, and it names a woman whom nobody knows. {Hero} has until Friday to learn who she was.",
      "family fights over an inheritance",
    ],
    [
      "Someone in {place} writes letters that know too much, and a teacher has already drowned herself. {Hero} compares the spelling mistakes and begins to be afraid.",
      "anonymous blackmail in a small community",
    ],
  ],
  Romance: [
    [
      "{Hero} inherits half of {thing} and has to share it with the rival whom she cannot bear. By the first frost they quarrel mainly for the pleasure of it.",
      "enemies fall in love",
    ],
    [
      "Ten years after they said goodbye, {hero} and the boy next door meet again in {place}. He has a daughter, she has a ticket home.",
      "high school sweethearts reunited",
    ],
    [
      "Stuck for the summer in {place}, {hero} agrees to a pretended engagement. It fools his grandmother, then the town, and at last herself.",
      "fake relationship becomes real",
    ],
    [
      "Her husband has been dead for two years when {hero} hears somebody whistling in {place}. To laugh again feels like a betrayal, and then like rain.",
      "widow dares to date a new man",
    ],
    [
      "{Hero} writes to a stranger by mistake, and he writes back. A year of letters later neither dares to suggest a photograph.",
      "pen pals who have never met",
    ],
    [
      "Two bakers compete for one oven in {place}. Flour is thrown, recipes are stolen, and {hero} discovers that she misses him on Sundays.",
      "pastry chefs flirting over dough",
    ],
    [
      "He is a prince who travels under a false name, and {hero} has no time for tourists. Then the newspapers arrive in {place}.",
      "commoner marries into royalty",
    ],
    [
      "At sixty-eight {hero} sells the house, buys a van and drives to {place}. The man who repairs the van is slow, kind and in no hurry to finish.",
      "late romance for older people",
    ],
  ],
  Horror: [
    [
      "{Hero} moves into {place} and hears breathing behind the walls. The former owners never left: they were only papered over.",
      "haunted mansion ghost story",
    ],
    [
      "Every winter one child disappears from {place}, and this year {hero} keeps watch. What comes out of the wood walks on its hands.",
      "kidnapping creature from the forest",
    ],
    [
      "{Hero} buys {thing} at a funeral sale, and its eyes are in another place each morning. The dog will not enter the room any more.",
      "cursed antique that moves by itself",
    ],
    [
      "The film crew that entered {place} left only their tapes. {Hero} watches them one by one, and begins to see the crew standing behind the sofa.",
      "scary found footage",
    ],
    [
      "The new priest of the parish has no shadow, and the wells taste of iron. {Hero} begins to count how few of the neighbours still eat.",
      "vampires take over a community",
    ],
    [
      "A fever spreads from {place}, and those who die of it come back hungry. {Hero} has nine bullets and one sister.",
      "zombie epidemic",
    ],
    [
      "The doctor who runs {place} promises sleep without dreams. {Hero} wakes with stitches and somebody else's hands.",
      "mad scientist performs surgery experiments",
    ],
    [
      "Something very old lies at the bottom of the sea near {place}, and it has begun to sing. {Hero} is the only one in the village who is deaf.",
      "monster from the deep lures fishermen",
    ],
  ],
  "Historical Fiction": [
    [
      "As the siege of Leningrad tightens, {hero} trades {thing} for bread. The last cellist plays to an empty hall to keep his fingers warm.",
      "civilians starving in a surrounded town",
    ],
    [
      "Disguised as a man, {hero} marches with the army through {place} in search of a lost brother. The only one who guesses is the drummer.",
      "woman fights as a soldier",
    ],
    [
      "While bombs fall on Warsaw, {hero} hides a family behind the bookshelves. Their cough is the most dangerous sound in the street.",
      "rescuing Jews from the Nazis",
    ],
    [
      "{Hero} sails in chains from the coast of Guinea to a sugar island. Forty years later a granddaughter reads the ship's ledger and finds a name.",
      "slavery and the plantation",
    ],
    [
      "A ship lies on the bottom of the sea, and its mail washes ashore in {place}. {Hero} dries each page by the stove and begins to deliver them.",
      "letters from a sunken ship",
    ],
    [
      "In Lyon the guillotine works from dawn to dusk, and {hero} powders the wigs of both sides. One evening the list has a familiar name on it.",
      "aristocrats during the terror in France",
    ],
    [
      "The potatoes are black in the fields, and {hero} walks barefoot to the harbour with the children. The passage to Boston costs more than a cow.",
      "Irish famine emigrants",
    ],
    [
      "{Hero} mixes colours for a master who cannot paint hands. By the time the altar of {place} is unveiled, every hand on it is hers.",
      "talented woman exploited by a famous man",
    ],
  ],
  Thriller: [
    [
      "{Hero} has forty-eight hours to find {thing} before it is sold in {place}. Whoever buys it can put out the lights of a continent.",
      "race against time to prevent a cyber attack",
    ],
    [
      "A spy is shot in {place}, and the bullet comes from a gun of {hero}. The only witness is the man who gave the order.",
      "secret agent framed for an assassination",
    ],
    [
      "When her daughter is taken in {place}, {hero} goes back to the work she swore to leave. They want {thing}, and they want her to suffer.",
      "mother hunts the kidnappers of her child",
    ],
    [
      "{Hero} adds up the numbers of a bank twice, and both times a billion is missing. The colleague who noticed it first has fallen from a balcony.",
      "whistleblower uncovers financial fraud",
    ],
    [
      "The night train to {place} does not stop any more, and nobody is driving it. {Hero} has {thing}, a dead radio and four hundred passengers.",
      "runaway locomotive disaster",
    ],
    [
      "There is a mole in the embassy, and {hero} has been told to find him. Every clue leads to the person who gave {hero} the job.",
      "double agent betrayal in the cold war",
    ],
    [
      "Someone copies murders out of a novel, chapter by chapter. {Hero} has read the last page and knows the address: it is in {place}, and it is home.",
      "serial killer imitates a book",
    ],
    [
      "The jury has been bought, all but one of them. {Hero} has until Monday to keep a stubborn beekeeper alive in {place}.",
      "courtroom corruption drama",
    ],
  ],
  Children: [
    [
      "{Hero} cannot sleep, and counts sheep until the sheep fall asleep instead. Then {hero} must carry them all home, one by one.",
      "story for toddlers at night",
    ],
    [
      "One rainy morning {hero} finds {thing} under the stairs and looks for its owner. Everybody who is asked has lost something else.",
      "returning mislaid property",
    ],
    [
      "Nobody believes that {hero} can fly, least of all the geese. A kite, a storm and a very loud aunt prove them wrong.",
      "learning to soar in the air against all doubts",
    ],
    [
      "The new one in class has no tail and speaks to nobody. {Hero} shares a sandwich, and then a secret, and then an umbrella.",
      "making friends with a shy pupil",
    ],
    [
      "{Hero} has a baby brother now, and nobody has time any more. So {hero} packs {thing} and moves to the end of the garden, until supper.",
      "jealous of a newborn sibling",
    ],
    [
      "Grandpa forgets where his glasses are, and then what they are for. {Hero} draws him a map of the house, with kisses where the doors are.",
      "explaining dementia to kids",
    ],
    [
      "Under the bed lives a monster who is afraid of children. {Hero} leaves the light on for it.",
      "overcoming fear of the dark",
    ],
    [
      "With a wooden spoon as a sword, {hero} sails the bath to {place}. The treasure is {thing}, and it is guarded by a rubber duck.",
      "pirate adventure with imagination",
    ],
  ],
};

import { type Genre, TONES } from "./genre.ts";

/** The genre of picture books and stories to read aloud. */
export const CHILDREN: Genre = {
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

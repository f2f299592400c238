import type { Plot } from "./genre.ts";

/** What the non-fiction of each genre is about, and how somebody asks for it who does not know the text's words. */
export const NON_FICTION_PLOTS: Readonly<Record<string, readonly Plot[]>> = {
  History: [
    [
      "In 1453 the walls of Constantinople gave way, and a thousand years of Byzantium ended in one morning. {Detail} shows how slowly that morning had been coming.",
      "how empires fall",
    ],
    [
      "The Black Death reached the ports in a cargo of furs and killed every third inhabitant. Through {detail} we watch a town count its dead and then raise its wages.",
      "medieval pandemic and its economic consequences",
    ],
    [
      "Queens, bakers' wives and washerwomen marched to Versailles before the men did. {Detail} puts them back into the story of 1789.",
      "role of women in the French revolution",
    ],
    [
      "Pepper was once worth its weight in silver, and sailors died for it by the thousand. The author follows {detail} from Malabar to Lisbon.",
      "spice trade routes",
    ],
    [
      "In Berlin in 1884 men who had never seen the Congo drew lines across it with a ruler. {Detail} records what happened on both sides of one of those lines.",
      "colonial partition of Africa",
    ],
    [
      "Without bread from Egypt the mob of Rome would have eaten its senators. {Detail} explains how a million mouths were fed, and who grew rich from it.",
      "food supply of an ancient capital",
    ],
    [
      "For forty-four years two blocs aimed their missiles at one another, and twice they almost fired. {Detail} comes from a bunker that did not officially exist.",
      "nuclear standoff between superpowers",
    ],
    [
      "Weavers broke the looms at night, and the government hanged them for it. {Detail} tells why they thought themselves the reasonable ones.",
      "workers' protest against the industrial revolution",
    ],
  ],
  Science: [
    [
      "Nothing that falls into a black hole returns, not even light. With {detail} the author explains how we photographed one all the same.",
      "astronomy of collapsed stars",
    ],
    [
      "Two particles can be a galaxy apart and still answer as one. A physicist shows with {detail} why Einstein hated it and was wrong.",
      "quantum entanglement for laypeople",
    ],
    [
      "With a pair of molecular scissors we can now rewrite our own genes. {Detail} began it, and nobody agrees on where it should stop.",
      "ethics of editing DNA",
    ],
    [
      "A hundred billion nerve cells forget almost everything, and that is how they learn. {Detail} leads to what happens in a head during sleep.",
      "neuroscience of memory",
    ],
    [
      "Most of the universe is missing: it pulls on the stars and cannot be seen. {Detail} is the best hope of finding what it is made of.",
      "dark matter",
    ],
    [
      "Machines now recognise faces, write essays and beat masters at Go. Starting from {detail}, this book opens the box and finds arithmetic.",
      "how does artificial intelligence work",
    ],
    [
      "Primes thin out but never end, and nobody knows their rhythm. Four hundred years and {detail} lie between the question and a prize of a million.",
      "unsolved mathematical problems",
    ],
    [
      "Life began in a warm pond or at a boiling vent, and it began only once. {Detail} brings us closer to that Tuesday.",
      "origin of the earliest organisms",
    ],
  ],
  Nature: [
    [
      "Bees dance to tell one another where the lime trees bloom. A keeper of forty hives describes a year with {detail}.",
      "insect communication and pollination",
    ],
    [
      "An oak feeds a thousand species and dies for three hundred years. Beginning with {detail}, this is the biography of one of them.",
      "old trees and forest ecosystems",
    ],
    [
      "Every spring grey whales pass the window of the author's hut, with their calves. {Detail} taught her to wait.",
      "migration of marine mammals",
    ],
    [
      "The glaciers of the author's childhood have become lakes. {Detail} tells what else goes when ice goes.",
      "global warming in the mountains",
    ],
    [
      "A lawn was left alone for ten years, and then the orchids came. With {detail} it shows how little a garden needs us.",
      "rewilding your own backyard",
    ],
    [
      "Wolves have crossed the river again, and the shepherds have bought guns. {Detail} brings both of them to one table.",
      "conflict between predators and farmers",
    ],
    [
      "Underground, threads thinner than hair trade sugar for salts. {Detail} makes a reader look down on every walk.",
      "mushrooms and fungal networks",
    ],
    [
      "It starts at four with a robin, and by five nobody sleeps. {Detail} is the key to who sings what, and why.",
      "identifying birds by their calls",
    ],
  ],
  Cooking: [
    [
      "Flour, water, salt and a jar that bubbles: more is not needed for a loaf. {Detail} replaces the recipes that fail.",
      "baking sourdough bread at home",
    ],
    [
      "A hundred suppers from one pot, ready before the children quarrel. {Detail} makes them cheaper, too.",
      "quick family dinner recipes",
    ],
    [
      "Lentils, chickpeas and aubergines, from Kerala to Beirut, with no meat and no regret. {Detail} is the beginning of every page.",
      "vegetarian curry cookbook",
    ],
    [
      "A chef goes back to her grandmother in Jeonju to bury cabbage in jars. {Detail} turns out to be the whole secret.",
      "how to make kimchi",
    ],
    [
      "Eggs, flour and a broomstick to hang it from: pasta as they roll it in Bologna. {Detail} decides about the rest.",
      "fresh Italian noodles by hand",
    ],
    [
      "Choux that rises, custard that sets, and caramel that does not burn. A Paris confectioner explains {detail} for those who have cried over an eclair.",
      "French dessert techniques",
    ],
    [
      "What is thrown away in one kitchen in a week would feed a fourth person. With {detail} the peel, the stalk and the crust come back to the plate.",
      "reduce food waste with leftovers",
    ],
    [
      "Smoke, oak and eighteen hours of patience turn the toughest shoulder soft. {Detail} comes before the fire.",
      "slow barbecue of beef and pork",
    ],
  ],
  Biography: [
    [
      "{Subject} went deaf at thirty and wrote the best music of all afterwards. {Detail} makes us listen again.",
      "composer who lost his hearing",
    ],
    [
      "She found the error in the moon rocket's orbit with a pencil, and nobody gave her a chair. {Detail} gives {subject} the credit at last.",
      "overlooked female mathematician of the space program",
    ],
    [
      "Three times {subject} turned back from the Pole, and the fourth time did not come back at all. {Detail} was in the tent.",
      "tragic Antarctic expedition",
    ],
    [
      "{Subject} slept in a car, sang in the underground and sold out Wembley. {Detail} tells what it cost.",
      "rise of a rock star from poverty",
    ],
    [
      "For twenty-seven years {subject} broke stones in prison, and then forgave the guards. {Detail} was smuggled out in shoes.",
      "jailed for the fight against apartheid",
    ],
    [
      "{Subject} ran without shoes, won in Rome and was forgotten at home. {Detail} retraces every mile.",
      "Olympic marathon champion",
    ],
    [
      "He patented four hundred things, and the one that made others rich was the zip. {Detail} shows {subject} at the kitchen table.",
      "eccentric inventor who died broke",
    ],
    [
      "{Subject} painted sunflowers, quarrelled with everyone and sold a single canvas. {Detail} corrects the legend of the ear.",
      "life of Vincent van Gogh",
    ],
  ],
  Travel: [
    [
      "By bicycle from Lisbon to Vladivostok, with two spare tyres and no Russian. On the way there is {detail}, and a great deal of borscht.",
      "cycling across a continent",
    ],
    [
      "After the funeral the author laced her father's boots and walked to Santiago. {Detail} carried what she could not.",
      "hiking pilgrimage to cope with grief",
    ],
    [
      "The sleeping cars of Europe are coming back, from Stockholm to Palermo. {Detail} proves that slowness is worth the ticket.",
      "holiday by night train without flying",
    ],
    [
      "Alone around Cape Horn in a boat of nine metres, with a cat. {Detail} and the sea leave little room for lies.",
      "solo sailing voyage",
    ],
    [
      "Three months with camel drivers who name every dune. {Detail} is all that one needs to learn from the Sahara.",
      "crossing the desert with nomads",
    ],
    [
      "A family sells the house and takes two small children through Bolivia by bus. {Detail} saves more than one afternoon.",
      "backpacking South America with kids",
    ],
    [
      "The author fell eighty metres on Annapurna and lay there for two nights. {Detail} kept him awake until the rope came.",
      "mountaineering accident survival",
    ],
    [
      "Twelve islands, one ferry a week and eleven kinds of rain. With {detail} the author stays for the winter in the Hebrides.",
      "living remotely in Scotland",
    ],
  ],
  Philosophy: [
    [
      "If every act has a cause, who is to blame for it? Starting from {detail}, the book finds room for guilt.",
      "do we have free will",
    ],
    [
      "An emperor wrote at night that nothing outside can hurt us. {Detail} turns his notebook into a practice for Mondays.",
      "stoicism in daily life",
    ],
    [
      "Epicurus held that where death is, we are not. With {detail} the author tests whether that consoles anyone at three in the morning.",
      "coming to terms with mortality",
    ],
    [
      "The telephone lights up two hundred times a day, and each time somebody earns a cent. {Detail} is a way to get one's attention back.",
      "distraction by social media",
    ],
    [
      "Aristotle counted three kinds of friends and thought one of them enough. {Detail} asks what he would say to four hundred followers.",
      "what makes a good companion",
    ],
    [
      "A trolley, a lever and five people on the rails: nobody pulls with a good conscience. {Detail} leads from the puzzle to the hospital.",
      "ethical dilemmas",
    ],
    [
      "We are no happier than our great-grandparents, though our teeth are better. {Detail} suggests where we have been looking wrongly.",
      "why money does not bring joy",
    ],
    [
      "A brain in a vat would see the same tree. {Detail} shows why we may still trust our eyes, most of the time.",
      "is reality an illusion",
    ],
  ],
};

import { words } from "@relevance/demo-data/genre.ts";
import { random } from "@relevance/demo-data/random.ts";

/** A generated vocabulary: tokens in order of their IDs, and the weight of each in a query. */
export interface Vocabulary {
  tokens: readonly string[];
  weights: ReadonlyMap<string, number>;
}

/** Special tokens, with the IDs of the real vocabulary (BERT, uncased). */
const SPECIAL_TOKENS: Readonly<Record<number, string>> = {
  0: "[PAD]",
  100: "[UNK]",
  101: "[CLS]",
  102: "[SEP]",
  103: "[MASK]",
};
const FIRST_FREE_ID = 104;

export const SPECIAL_IDS = Object.keys(SPECIAL_TOKENS).map(Number);

const SYLLABLES = 700;
const CONSONANTS = [..."bcdfghjklmnprstvwz"];
const VOWELS = [..."aeiou"];

/**
 * Returns the 256 characters that represent bytes in byte-level tokenizers. Printable bytes represent themselves, the
 * others are moved to U+0100 and above. With all of them in the vocabulary, no text is unknown.
 * Source: `bytes_to_unicode` of GPT-2, which `ByteLevel` of Hugging Face tokenizers implements.
 */
function byteCharacters(): string[] {
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(printable ? byte : 256 + moved++);
  });
}

/**
 * Generates the vocabulary of the stand-in models: English words, endings and syllables, and every byte. The same seed
 * gives the same vocabulary. Weights follow the real table: function words weigh little, rare words much. Bytes outside
 * ASCII have no weight, because texts in one script share most of them. So a word of such bytes is not unknown, but it
 * is no sparse match either.
 */
export function generateVocabulary(seed = 1): Vocabulary {
  const chance = random(seed);
  const weights = new Map<string, number>();
  const add = (token: string, least: number, most: number) => {
    const weight = least + chance.next() * (most - least);
    if (!weights.has(token)) weights.set(token, Number(weight.toFixed(4)));
  };

  for (const [rank, word] of FUNCTION_WORDS.entries()) add(word, 0.25, 0.35 + rank / 100);
  for (const word of CONTENT_WORDS) add(word, 3, 5.5);
  for (const suffix of SUFFIXES) add(`##${suffix}`, 0.2, 0.4);
  for (let i = 0; i < SYLLABLES; i += 1) {
    const syllable = chance.pick(CONSONANTS) + chance.pick(VOWELS) + (i % 2 ? chance.pick(CONSONANTS) : "");
    add(syllable, 1.5, 2.5);
    add(`##${syllable}`, 1, 2);
  }
  const bytes = byteCharacters().flatMap((character) => [character, `##${character}`]);
  for (const character of bytes.filter((text) => /^(##)?[!-~]$/.test(text))) {
    if (/[0-9]$/.test(character)) add(character, 1, 2);
    else add(character, 0.2, 0.6);
  }

  const unused = Array.from({ length: FIRST_FREE_ID }, (_, id) => SPECIAL_TOKENS[id] ?? `[unused${id}]`);
  const tokens = new Set([...unused, ...weights.keys(), ...bytes]);
  return { tokens: [...tokens], weights };
}

/** Words that say little about a text, most frequent first. */
const FUNCTION_WORDS = words(`
the of and to a in is it that for as on with was be by at this are or from an his her he she they not have but had has
were their which you one we all can its who will would there been if more when no out up so what about into than them
then some could him my these do did only other our me your how after over also any first may before two must through
where most very because between each just those such even new much should own while down here both being under during
without again off upon against too same until might however every never always still now yet nor whom whose why
along among around behind beyond above below across toward onto within
`);

/** Frequent words with a meaning of their own, grouped by theme. The order is irrelevant. */
const CONTENT_WORDS = words(`
book story novel tale page chapter author writer reader library letter word language poem poet verse essay memoir
history historical century year day night morning evening summer winter spring autumn week month hour minute moment time
past future present age ancient modern medieval early late last next long short old young little small large big great
high low deep wide near far open close hidden secret quiet silent loud bright dark light black white red green blue gold
silver grey yellow brown warm cold hot cool dry wet frozen burning broken lost forgotten stolen forged found known unknown
man woman child boy girl baby mother father parent sister brother daughter son family friend enemy neighbor stranger
husband wife uncle aunt cousin grandmother grandfather orphan twin lover king queen prince princess knight lord lady duke
emperor empire kingdom crown throne castle palace tower wall gate bridge road street path city town village country
nation island mountain hill valley river lake sea ocean coast shore beach harbor ship boat sail captain sailor pirate
forest wood tree leaf flower rose garden field farm farmer desert cave stone rock sand snow ice rain storm wind thunder
fire flame smoke ash water earth air sky star moon sun planet space galaxy orbit station rocket pilot crew colony
robot machine engine computer algorithm data signal code network software program memory mind brain thought idea dream
sleep wake night shadow ghost spirit soul body heart hand eye face voice blood bone death life birth war peace battle
soldier army general weapon sword blade shield gun bomb spy agent police detective crime murder murderer killer victim
witness clue evidence case trial judge court lawyer prison prisoner thief robbery theft fraud lie truth justice law
magic spell curse witch wizard dragon giant monster beast wolf bear fox raven bird owl cat dog horse mouse fish whale
snake spider bee animal hunter hunt wild nature natural science scientist physics chemistry biology mathematics number
equation theory theorem proof experiment laboratory research discovery invention inventor engineer engineering doctor
nurse hospital medicine disease plague cure poison patient surgery health food kitchen cook cooking recipe bread cake
butter cheese meat vegetable fruit apple lemon sugar salt pepper spice soup salad dinner breakfast lunch wine beer tea
coffee restaurant chef baker bakery flavor taste dish meal market shop store money bank gold debt rich poor trade
merchant business company work worker job office boss leader leadership strategy management market economy economics
price cost value tax profit invest investor price art artist paint painter painting portrait picture museum gallery
sculpture music musician song singer concert opera piano violin guitar drum band dance dancer theater stage actor
actress film movie camera photograph photographer design designer fashion architecture architect building house home
room door window floor roof stair attic cellar basement bed table chair lamp mirror clock key box bag map compass
letter paper pen ink diary note newspaper journalist reporter radio television telephone message news school teacher
student pupil university college professor lesson class exam study learn learning education guide handbook introduction
travel traveler journey voyage adventure expedition explorer quest search rescue escape flight train railway car driver
plane airport hotel tourist visit return arrive leave stay live die kill save fight win lose find seek hide hold keep
give take bring carry send receive build make create destroy break mend change turn move walk run climb swim fly fall
rise stand sit wait watch see look hear listen speak talk tell ask answer question call cry laugh smile sing read write
think know believe hope fear love hate want need wish remember forget choose decide begin start end finish stop
help serve rule obey betray promise oath marry marriage wedding divorce bride romance kiss desire passion jealousy
happy sad angry afraid brave clever wise foolish kind cruel gentle honest proud lonely curious grumpy sleepy tired
beautiful ugly strange familiar ordinary remarkable famous favorite perfect dangerous safe simple difficult easy
possible impossible true false real imaginary sacred holy god goddess religion church temple priest monk nun prayer
bible faith myth mythology legend legendary folk fable fairy hero heroine villain character plot scene series volume
edition part collection anthology trilogy sequel prequel mystery thriller horror fantasy fiction romance comedy tragedy
drama humor satire crime detective suspense biography autobiography philosophy philosopher psychology sociology
politics political government president minister election vote party revolution rebel rebellion freedom liberty slave
slavery right equality race gender class culture society people public private local global international world
american english french german italian spanish greek roman chinese japanese indian african european russian british
north south east west northern southern eastern western london paris york rome berlin tokyo america england france
europe africa asia india china japan russia climate environment energy oil coal power electric nuclear solar pollution
sport football baseball tennis golf chess game play player team coach race champion victory defeat mountain climbing
garden gardening plant seed soil harvest season weather bicycle running yoga exercise meditation mindfulness habit
self success failure happiness anxiety depression grief loss trauma therapy healing parenting pregnancy childhood
adult teenager elderly retirement career interview salary letter travel guide photography craft knitting sewing
pottery woodwork drawing sketch color paper origami puzzle riddle joke rhyme bedtime picture balloon kite hedgehog
penguin kitten puppy bunny rabbit squirrel elephant lion tiger monkey dinosaur unicorn mermaid snowman teddy toy doll
school bus train truck tractor circus magic birthday christmas holiday halloween party present gift candle cake
starship captain alien invasion telescope mars saturn venus jupiter comet asteroid meteor gravity quantum particle atom
molecule gene genetic evolution fossil species extinct ocean coral reef shark dolphin jungle rainforest volcano
earthquake flood drought famine hunger refuge refugee border wall immigrant exile home homeland village memory
lighthouse keeper island fog wreck treasure chest jewel diamond pearl ruby emerald ring necklace painting forgery
dealer auction collector antique clockmaker watchmaker blacksmith carpenter tailor weaver gardener shepherd miller
fisherman miner ferry canal mill mine factory warehouse harbor dock port station platform ticket luggage passport
archive archivist record document manuscript scroll inscription ruin tomb pharaoh mummy pyramid temple excavation
archaeologist historian scholar translator interpreter spy cipher cryptography password key server cloud function
class object constructor type string value error test debug compiler database index query search engine vector model
statistics probability algebra geometry calculus logic graph tree matrix linear infinite finite prime
`);

/** English word endings. With them, "dragons" shares the token "dragon" and differs only a little. */
const SUFFIXES =
  "s es ed d ing er ers or ly y ies al ial ic ical ist ists ism ness less ful ment ments ion ions tion sion ation able ible ous ive ity th st nd rd ship hood like ward wards ward man men woman maker keeper house light work book land side time way one th".split(
    " ",
  );

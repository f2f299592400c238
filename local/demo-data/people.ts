import { words } from "./lists.ts";

/** First names of the invented authors. */
export const FIRST_NAMES = words(`
  Ada Adrian Agnes Amara Anders Aoife Arjun Astrid Beatriz Benedict Bianca Callum Camille Cecilia Chidi Clara Cyrus
  Dahlia Daniel Delphine Dmitri Edith Elena Elias Emeka Esther Farah Felix Fiona Gareth Greta Hana Harriet Hector Ines
  Imogen Isaac Ivy Jasper Joaquin Johanna Julian Kaito Katarina Laila Leo Lucia Maeve Magnus Marisol Mateo Mina Nadia
  Naomi Nikolai Nora Odette Omar Orla Pavel Petra Priya Quentin Rafael Rosalind Ruth Samira Silas Sofia Stellan Sunita
  Tamsin Tariq Thea Tobias Uma Valentina Victor Wanda Wei Yara Yusuf Zadie Zora
`);

/** Last names of the invented authors. */
export const LAST_NAMES = words(`
  Abara Achterberg Alvarez Ashdown Bakshi Barrow Bellamy Bergstrom Blackwood Calloway Castellan Chandra Corrigan
  Dalgaard Delacroix Demir Devereux Drummond Eklund Ellery Fairweather Farrow Fontaine Galloway Garrick Greaves Hale
  Hartmann Hawthorn Holloway Ibarra Ivanova Jansen Kapoor Kessler Kimura Kowalski Lachlan Larkin Lindqvist Locke
  Maddox Marchetti Marlowe Mbeki Mercer Montrose Nakamura Nightingale Novak Oakes Okafor Olsen Osei Pembroke Petrov
  Quill Quintero Ramirez Redfern Rinaldi Rosenthal Sadler Salazar Sato Sinclair Sokolov Stonebridge Tanaka Thackeray
  Thorne Underhill Vance Vasquez Verhoeven Wainwright Westbrook Whitlock Winterbourne Yilmaz Zielinski
`);

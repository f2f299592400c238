/** Which items each user had to do with. Items are numbered from the most popular one on, users in any order. */
export interface Matrix {
  users: number;
  items: number;
  /** Where the items of each user begin in `itemOf`; one entry more than users. */
  startOfUser: Int32Array;
  /** The items of each user, latest first, each once. */
  itemOf: Int32Array;
}

/** The users of each item. */
export interface Columns {
  /** Where the users of each item begin in `userOf`; one entry more than items. */
  startOfItem: Int32Array;
  userOf: Int32Array;
}

/** The items of a user that are learned from: the last ones. More would say little, and their pairs grow with the square. */
const LONGEST_HISTORY = 500;

/** Returns where those items of a user end in `itemOf` that are learned from. */
export const endOf = ({ startOfUser }: Matrix, user: number): number =>
  Math.min(startOfUser[user + 1] as number, (startOfUser[user] as number) + LONGEST_HISTORY);

/** Returns the items of a user, latest first. */
export const itemsOf = ({ startOfUser, itemOf }: Matrix, user: number): Int32Array =>
  itemOf.subarray(startOfUser[user], startOfUser[user + 1]);

/** Returns the number of users of an item. */
export const usersOf = ({ startOfItem }: Columns, item: number): number =>
  (startOfItem[item + 1] ?? 0) - (startOfItem[item] ?? 0);

/** Turns the matrix around, without the users that `leaveOut` marks with a one. */
export function columnsOf(matrix: Matrix, leaveOut?: Uint8Array): Columns {
  const startOfItem = new Int32Array(matrix.items + 1);
  const each = (visit: (item: number, user: number) => void) => {
    for (let user = 0; user < matrix.users; user += 1) {
      if (leaveOut?.[user] === 1) continue;
      const end = endOf(matrix, user);
      for (let at = matrix.startOfUser[user] as number; at < end; at += 1) visit(matrix.itemOf[at] as number, user);
    }
  };
  each((item) => {
    startOfItem[item + 1] = (startOfItem[item + 1] as number) + 1;
  });
  for (let item = 0; item < matrix.items; item += 1) {
    startOfItem[item + 1] = (startOfItem[item + 1] as number) + (startOfItem[item] as number);
  }
  const next = startOfItem.slice();
  const userOf = new Int32Array(startOfItem[matrix.items] as number);
  each((item, user) => {
    userOf[next[item] as number] = user;
    next[item] = (next[item] as number) + 1;
  });
  return { startOfItem, userOf };
}

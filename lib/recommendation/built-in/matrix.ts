/**
 * The items that each user interacted with. Items are numbered by popularity, most popular first; users in any order.
 */
export interface Matrix {
  users: number;
  items: number;
  /** Start offset of each user's items in `itemOf`. Has one entry more than there are users. */
  startOfUser: Int32Array;
  /** The distinct items of each user, latest first. */
  itemOf: Int32Array;
}

/** The users of each item. */
export interface Columns {
  /** Start offset of each item's users in `userOf`. Has one entry more than there are items. */
  startOfItem: Int32Array;
  userOf: Int32Array;
}

/**
 * The most items of a user to learn from, latest first. More add little, and the number of pairs grows with the square.
 */
const LONGEST_HISTORY = 500;

/** Returns the end offset in `itemOf` of the user's items to learn from. */
export const endOf = ({ startOfUser }: Matrix, user: number): number =>
  Math.min(startOfUser[user + 1] as number, (startOfUser[user] as number) + LONGEST_HISTORY);

/** Returns the items of a user, latest first. */
export const itemsOf = ({ startOfUser, itemOf }: Matrix, user: number): Int32Array =>
  itemOf.subarray(startOfUser[user], startOfUser[user + 1]);

/** Returns the number of users of an item. */
export const usersOf = ({ startOfItem }: Columns, item: number): number =>
  (startOfItem[item + 1] ?? 0) - (startOfItem[item] ?? 0);

/** Returns a matrix without as many of each user's newest items as `hidden` returns. */
export function withoutNewest(matrix: Matrix, hidden: (user: number) => number): Matrix {
  const rests = Array.from({ length: matrix.users }, (_, user) => itemsOf(matrix, user).subarray(hidden(user)));
  const startOfUser = new Int32Array(matrix.users + 1);
  for (const [user, rest] of rests.entries()) startOfUser[user + 1] = (startOfUser[user] as number) + rest.length;
  const itemOf = new Int32Array(startOfUser[matrix.users] as number);
  for (const [user, rest] of rests.entries()) itemOf.set(rest, startOfUser[user]);
  return { ...matrix, startOfUser, itemOf };
}

/** Transposes the matrix. */
export function columnsOf(matrix: Matrix): Columns {
  const startOfItem = new Int32Array(matrix.items + 1);
  const each = (visit: (item: number, user: number) => void) => {
    for (let user = 0; user < matrix.users; user += 1) {
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

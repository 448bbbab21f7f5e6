// What would flip the answer: the smallest change of a row that does.

/** Return the changed row with its changes, or null. */
export function flip() {
  return null;
}

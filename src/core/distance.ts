/** The Levenshtein distance: how many letters to add, leave out or replace to make one text of the other. */
export function distance(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1]
    for (let to = 0; to < two.length; to += 1) {
      const replaced = row[to]! + (one[at] === two[to] ? 0 : 1)
      next.push(Math.min(replaced, row[to + 1]! + 1, next[to]! + 1))
    }
    row = next
  }
  return row[two.length]!
}

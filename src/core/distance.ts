/** Longer names are never taken for typing mistakes. */
const MAX_NAME = 40

/** Whether one name may be a mistyped form of another: two letters differ at most, and fewer in short names. */
export function isNear(name: string, other: string): boolean {
  if (name.length > MAX_NAME) return false
  const [one, two] = [plain(name), plain(other)]
  if (one === two) return true
  return distance(one, two) <= (Math.min(one.length, two.length) < 5 ? 1 : 2)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** The Levenshtein distance: the number of letters to add, drop or replace to turn one text into the other. */
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

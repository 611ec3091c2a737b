/** @jsxImportSource @kitajs/html */

interface EachProps<Item> {
  of: readonly Item[]
  show: (item: Item, index: number) => JSX.Element
}

/** One after the other: what is shown for each item of a list. */
export function Each<Item>({ of, show }: EachProps<Item>) {
  return <>{of.map(show)}</>
}

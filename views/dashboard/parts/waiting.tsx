/** @jsxImportSource @kitajs/html */

/** How many proposals wait to be decided, beside what leads to them; nothing where none do. */
export function Waiting({ number, word }: { number: number; word: string }): JSX.Element {
  if (number === 0) return ''
  return (
    <>
      {' '}
      <span class="tag good" safe>
        {String(number)}
      </span>
      <span class="visually-hidden" safe>{` ${word}`}</span>
    </>
  )
}

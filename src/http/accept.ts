/**
 * What a header such as Accept or Accept-Encoding names, in lower case, with how much each is wanted, from 0 to 1
 * (RFC 9110, 12.4.2). A weight that is no number is NaN, which is more than nothing to no comparison.
 */
export function weightsIn(header: string): Map<string, number> {
  return new Map(
    header
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .map(([name = '', ...parameters]) => {
        const weight = parameters.find((parameter) => parameter.startsWith('q='))
        return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const
      }),
  )
}

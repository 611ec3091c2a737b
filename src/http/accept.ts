/**
 * The values of a header such as Accept or Accept-Encoding, in lower case, with their weights from 0 to 1 (RFC 9110,
 * 12.4.2). An invalid weight is NaN, for which every comparison is false.
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

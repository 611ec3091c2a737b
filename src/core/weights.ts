/**
 * The values of a header such as Accept or Accept-Language, in its order, with their weights (RFC 9110, 12.4.2): 1 if there is
 * none, NaN, for which every comparison is false, if it is no number.
 * @param weight how the parameter with the weight begins.
 */
export function weighted(header: string, weight = /^q=/): (readonly [value: string, weight: number])[] {
  return header.split(',').map((part) => {
    const [value = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const found = parameters.find((parameter) => weight.test(parameter))
    return [value, found === undefined ? 1 : Number(found.replace(weight, ''))]
  })
}

/** The values of such a header in lower case, by which their weights are found. */
export function weightsIn(header: string): Map<string, number> {
  return new Map(weighted(header.toLowerCase()))
}

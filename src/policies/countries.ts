/** Codes that ICU names without a country behind them in ISO 3166: unions, islands of another, and the unknown. */
const NO_COUNTRIES = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'
/** Codes that were withdrawn; ICU gives them the names of their successors. */
const WITHDRAWN = 'AN BU CS DD DY FX HV NH RH SU TP UK VD YD YU ZR'

let byCode: ReadonlyMap<string, string> | undefined
let byName: ReadonlyMap<string, string> | undefined

/** Every country's English name by its code of two letters (`DE`), by name. */
export function countries(): ReadonlyMap<string, string> {
  byCode ??= new Map(named().sort(([, one], [, other]) => one.localeCompare(other, 'en')))
  return byCode
}

/** The code of a country as somebody typed it, by its code or English name in any case; null for what is neither. */
export function countryCode(text: string): string | null {
  byName ??= new Map([...countries()].map(([code, name]) => [name.toLowerCase(), code]))
  const code = text.trim().toUpperCase()
  return countries().has(code) ? code : (byName.get(text.trim().toLowerCase()) ?? null)
}

function named(): [string, string][] {
  const names = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' })
  const leftOut = new Set(`${NO_COUNTRIES} ${WITHDRAWN}`.split(' '))
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code): [string, string][] => {
      const name = leftOut.has(code) ? undefined : names.of(code)
      return name === undefined ? [] : [[code, name]]
    })
}

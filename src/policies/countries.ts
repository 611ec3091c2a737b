import { lazy } from '../core/lazy.ts'

/** Codes that ICU names but ISO 3166 does not assign to a country: unions, islands of another country, “unknown”. */
const NO_COUNTRIES = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'
/** Withdrawn codes; ICU gives them the names of their successors. */
const WITHDRAWN = 'AN BU CS DD DY FX HV NH RH SU TP UK VD YD YU ZR'

const regionNames = lazy(() => new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' }))

/** The English names of all countries by two-letter code (`DE`), sorted by name. */
export const countries = lazy(
  (): ReadonlyMap<string, string> => new Map(named().sort(([, one], [, other]) => one.localeCompare(other, 'en'))),
)

const codesByName = lazy(() => new Map([...countries()].map(([code, name]) => [name.toLowerCase(), code])))

/** The English name of any region ICU knows by this two-letter code; a withdrawn code gets its successor's name. */
export function regionName(code: string): string | undefined {
  return regionNames().of(code)
}

/** The code of a country typed as a code or an English name, in any case; null for anything else. */
export function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return countries().has(code) ? code : (codesByName().get(text.trim().toLowerCase()) ?? null)
}

function named(): [string, string][] {
  const leftOut = new Set(`${NO_COUNTRIES} ${WITHDRAWN}`.split(' '))
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code): [string, string][] => {
      const name = leftOut.has(code) ? undefined : regionName(code)
      return name === undefined ? [] : [[code, name]]
    })
}

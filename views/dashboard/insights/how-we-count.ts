/** A short form of docs/privacy.md, whose sentences a test compares with it. */
export const HOW_WE_COUNT = [
  'A launcher page sets no cookie, uses no storage of the browser, and contacts no other server.',
  'We count how often a page was opened and how often Open all was pressed, as totals by day.',
  'We count how many different viewers a page had on a day, without knowing who they were, and nobody can be followed from one day to the next.',
  'We count from which sites, with which kind of device and in which languages a page was opened, each as a total of its own by day: no total says who came from where, or what one visitor used.',
  'Two people with the same browser behind one address count as one viewer; one person on a phone and a laptop as two.',
  'We don’t learn which tabs were opened, and send nothing to the sites behind them.',
  'We record no address, no browser name and no time of a single visit.',
  'Days are UTC days, whatever time zone the host is in; daylight saving has no effect.',
] as const

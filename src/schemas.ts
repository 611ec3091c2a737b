import { configure } from 'arktype/config'

/**
 * Schemas are walked rather than compiled into functions: an event costs the same within what could be measured,
 * and every process is 12 to 15 MB smaller. Imported before anything that imports arktype, which reads this once, as it loads.
 */
configure({ jitless: true })

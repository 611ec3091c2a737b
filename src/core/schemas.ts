import { configure } from 'arktype/config'

/**
 * Schemas are walked rather than compiled into functions, which makes every process 12 to 15 MB smaller; only what is
 * called as often as pages are has its own compiled. Imported before anything that imports arktype, which reads this
 * once, as it loads.
 */
configure({ jitless: true })

import { configure } from 'arktype/config'

/**
 * Interprets schemas instead of compiling them into functions, which saves 12 to 15 MB per process; only those that run
 * as often as page views are compiled. Must be imported before anything that imports arktype, which reads this once
 * while loading.
 */
configure({ jitless: true })

import { configure } from 'arktype/config'

/**
 * Makes arktype interpret schemas instead of compiling them, which saves 12 to 15 MB per process; only those that run as
 * often as page views are compiled. Import this before anything that imports arktype, which reads the setting once, while
 * loading.
 */
configure({ jitless: true })

import { configure } from 'arktype/config'

/**
 * Schemas are walked rather than compiled into functions, which costs an event next to nothing and saves every
 * process 12 MB and a fifth of its start. Imported first by `main.ts`: arktype reads this once, as it loads.
 */
configure({ jitless: true })

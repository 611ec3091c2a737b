import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, text } from 'drizzle-orm/sqlite-core'

/** A column of JSON text. */
export const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>()

/** Whether a column holds a day, `YYYY-MM-DD`. */
export const isDay = (column: AnySQLiteColumn) => sql`${column} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'`

import { integer } from './command.ts'
import { commandFor } from './operation-command.ts'
import { minute, note, oneLine, printTable } from './output.ts'

export const events = commandFor('list_events', {
  summary: 'List who changed what, newest first',
  examples: ['openall events', 'openall events --type bundle.updated --target launch-day --since 2026-12-01T00:00:00Z'],
  args: {
    type: { type: 'string', description: 'Only events of this type, or of this kind: bundle.updated, or bundle' },
    target: { type: 'string', description: 'Only those about this: the slug of a bundle, or an id' },
    actor: { type: 'string', description: 'Only those of this person or key, by id' },
    since: { type: 'string', valueHint: 'time', description: 'Only those from this time on: 2026-12-01T00:00:00Z' },
    limit: { type: 'string', valueHint: 'number', description: 'At most so many; 50 if omitted' },
    cursor: { type: 'string', description: 'Go on from here: nextCursor of the page before' },
  },
  input: ({ args: { type, target, actor, since, cursor, limit } }) => ({
    ...given({ type, target, actor, since, cursor }),
    ...(limit === undefined ? {} : { limit: integer(limit, '--limit') }),
  }),
  say({ events, leftOut, nextCursor }) {
    const rows = events.map(({ createdAt, type, actor, target }) => [
      minute(createdAt),
      type,
      oneLine(actor.name ?? actor.keyName ?? actor.type),
      oneLine(target.slug ?? target.name ?? target.id ?? ''),
    ])
    printTable(['TIME (UTC)', 'EVENT', 'BY', 'ABOUT'], rows)
    if (leftOut !== undefined) note(leftOut)
    if (nextCursor !== undefined) note(`There are more: --cursor ${nextCursor}`)
  },
})

/** The flags that were given. */
function given<Name extends string>(flags: Record<Name, string | undefined>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as never
}

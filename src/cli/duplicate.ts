import { printCreated } from './bundles.ts'
import { integer } from './command.ts'
import { CHANGES, readPolicy, valuesIn } from './content-flags.ts'
import { readText } from './input.ts'
import { readListed } from './lists.ts'
import { commandFor } from './operation-command.ts'
import { PASSWORD_FILE, passwordIn } from './password.ts'

export const duplicate = commandFor('duplicate_bundle', {
  summary: 'Copy a bundle and print the link of the copy: all of your own, what you see of others’',
  examples: [
    'openall duplicate 4k2mz7qy9p --title "Launch day, second edition"',
    'openall duplicate 4k2mz7qy9p --policy none --dry-run',
  ],
  args: {
    ...CHANGES,
    ...PASSWORD_FILE,
    'new-slug': { type: 'string', description: 'The end of the copy’s link; generated if omitted' },
    'shift-days': {
      type: 'string',
      valueHint: 'number',
      description: 'How many days later its times are, on this computer’s calendar; --shift-days=-7 for earlier',
    },
    'idempotency-key': {
      type: 'string',
      valueHint: 'text',
      description: 'With the same key, creates only one copy in 24 hours',
    },
  },
  async input({ args }) {
    const { list, policy, 'new-slug': newSlug, 'shift-days': days } = args
    const destinations = list === undefined ? undefined : await readListed(await readText(list))
    return {
      ...valuesIn(args),
      ...(await passwordIn(args['password-file'], false)),
      ...(destinations && { urls: destinations.urls, urlMetadata: destinations.urlMetadata }),
      ...(policy === undefined ? {} : { resolutionPolicy: await readPolicy(policy) }),
      ...(newSlug === undefined ? {} : { newSlug }),
      ...(days === undefined
        ? {}
        : { shiftDays: daysIn(days), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    }
  },
  say: printCreated,
})

function daysIn(text: string): number {
  const days = integer(text.replace(/^[-+]/, ''), '--shift-days')
  return text.startsWith('-') ? -days : days
}

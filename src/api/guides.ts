import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { lazy } from '../core/lazy.ts'
import { routes } from '../core/routes.ts'

/** The pages of `docs/` that the service serves below `/docs/`, by whom they are for, in reading order; the rest is for its developers. */
const GROUPS = {
  Use: ['quick-start', 'sharing', 'variables', 'keyword', 'extension', 'moving', 'browsers', 'privacy'],
  Team: ['policies', 'cookbook', 'proposals', 'activity', 'go-links'],
  Build: ['api', 'errors', 'api-keys', 'cors', 'webhooks', 'sdk', 'cli', 'mcp'],
  Run: ['self-hosting', 'settings', 'security', 'checks', 'provider-events'],
} as const

export const GUIDES = Object.values(GROUPS).flat()

export type GuideName = (typeof GUIDES)[number]

/** The Markdown of a guide. */
export function guideText(name: GuideName): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8')
}

/** The title of a guide: its first heading. */
export function guideTitle(name: GuideName): string {
  return /^# (.+)$/m.exec(guideText(name))?.[1] ?? name
}

/** The guides with their titles, in their groups. */
export const guideGroups = lazy(() =>
  Object.entries(GROUPS).map(([group, guides]) => ({
    group,
    guides: guides.map((guide) => ({ guide, title: guideTitle(guide) })),
  })),
)

/** The anchor of a heading, as on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

// A skill for agents, at the address where they look for one (Agent Skills Discovery 0.2.0). A test makes every call in it.

const FOLDER = '/.well-known/agent-skills'
const NAME = 'launch-bundles'

/** The paths of the list of skills and of its only skill. */
export const SKILLS = `${FOLDER}/index.json`
export const SKILL = `${FOLDER}/${NAME}/SKILL.md`

const DESCRIPTION =
  'Put up to 25 links behind one link that opens them all, read what is behind such a link, change it, and see how it is ' +
  'used. Use it when somebody wants to share or collect several links, or hands over a link to such a bundle.'

/** The list of skills, with a digest of the text that is served. */
export function skillIndex(config: Pick<Config, 'name' | 'origin'>): string {
  const digest = `sha256:${createHash('sha256').update(skillText(config)).digest('hex')}`
  return JSON.stringify({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [{ name: NAME, type: 'skill-md', description: DESCRIPTION, url: config.origin + SKILL, digest }],
  })
}

/** The Markdown of the skill. */
export function skillText({ name, origin }: Pick<Config, 'name' | 'origin'>): string {
  return `---
name: ${NAME}
description: ${DESCRIPTION}
---

# Launch bundles on ${name}

A bundle is an ordered list of 1 to 25 links behind one link, ${origin}${routes.launcher.page.start}<slug>. Its page opens all of them with one press.

Connect the MCP server ${origin}/api/mcp (Streamable HTTP). It asks for a sign-in in the browser by OAuth; or send an API key as
Authorization: Bearer <key>, from ${origin}/dashboard/keys. The calls below are its tools. Without MCP, each is a route of
${origin}/api/openapi.json under the same name.

## Share several links

Try it first, and show the user what would be saved:

${call('create_bundle', {
  title: 'Launch day',
  slug: 'launch-day',
  urls: ['https://example.com/plan', 'https://example.com/status'],
  urlMetadata: [{ note: 'What happens when' }, { note: 'Is it up?', openPolicy: 'manual' }],
  dryRun: true,
})}

Once they agree, send it without \`dryRun\` and with an \`idempotencyKey\`, so that sending it again makes no second bundle.
Leave out \`slug\` to have one made. Give the user \`url\` of the answer.

${call('create_bundle', {
  title: 'Launch day',
  slug: 'launch-day',
  urls: ['https://example.com/plan', 'https://example.com/status'],
  urlMetadata: [{ note: 'What happens when' }, { note: 'Is it up?', openPolicy: 'manual' }],
  idempotencyKey: 'launch-day-2026-11-20-one',
})}

## Read a link that somebody hands over

Anybody's, with its whole address. If \`missing\` names variables, ask the user for their values and send them in \`values\`: do
not guess them.

${call('get_tabs', { slug: `${origin}${routes.launcher.page.href({ slug: 'launch-day' })}` })}

## Find and change a bundle of the user's

${call('list_bundles', { q: 'launch' })}

Read it before you change it, and say which version you have read: if somebody has changed it since, the call fails and nothing
is lost.

${call('get_bundle', { slug: 'launch-day' })}

${call('update_bundle', {
  slug: 'launch-day',
  addUrls: [{ url: 'https://example.com/retro', note: 'Afterwards' }],
  removeUrls: ['https://example.com/status'],
  expectedVersion: 1,
})}

If you may not edit it, or the user wants to decide, suggest the edit. It waits for them in their dashboard.

${call('propose_edit', { slug: 'launch-day', title: 'Launch day, 2026', reason: 'There will be another next year.' })}

## See how it is used

${call('get_insights', { slug: 'launch-day', range: '7d' })}

\`uniqueViewerDays\` adds up each day's visitors: it is no number of people.

## Undo

Every edit is a version. Restoring one makes a new version; a deleted bundle comes back as it was.

${call('list_versions', { slug: 'launch-day' })}

${call('restore_version', { slug: 'launch-day', versionNumber: 1 })}

${call('delete_bundle', { slug: 'launch-day' })}

${call('restore_bundle', { slug: 'launch-day' })}

## When a call fails

\`error\` says what to do, and \`docUrl\` explains \`code\`. On RATE_LIMITED wait \`retryAfterSeconds\`. Never put secrets into links,
titles or notes: whoever has the link can read them.
`
}

/** A tool call as a Markdown code block. */
function call(tool: string, args: Record<string, unknown>): string {
  return `\`\`\`json\n${JSON.stringify({ tool, arguments: args }, null, 2)}\n\`\`\``
}
